import{A as e,B as r}from"./chunk-LOBLFL7C.js";function u(){return e("builder"),r("h1",{children:"builder"})}export{u as default};
