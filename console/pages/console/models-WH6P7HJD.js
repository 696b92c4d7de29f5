import{A as e,B as o}from"./chunk-LOBLFL7C.js";function l(){return e("models"),o("h1",{children:"models"})}export{l as default};
