import{A as o,B as r}from"./chunk-LOBLFL7C.js";function e(){return o("operator"),r("h1",{children:"operator"})}export{e as default};
