import{A as e,B as o}from"./chunk-LOBLFL7C.js";function t(){return e("network"),o("h1",{children:"network"})}export{t as default};
