import{A as r,B as e}from"./chunk-LOBLFL7C.js";function i(){return r("library"),e("h1",{children:"library"})}export{i as default};
