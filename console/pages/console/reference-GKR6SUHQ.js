import{A as e,B as r}from"./chunk-LOBLFL7C.js";function f(){return e("reference"),r("h1",{children:"reference"})}export{f as default};
