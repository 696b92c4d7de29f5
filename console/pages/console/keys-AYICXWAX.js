import{A as e,B as o}from"./chunk-LOBLFL7C.js";function t(){return e("keys"),o("h1",{children:"keys"})}export{t as default};
