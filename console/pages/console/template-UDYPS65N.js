import{A as e,B as t}from"./chunk-LOBLFL7C.js";function l(){return e("template"),t("h1",{children:"template"})}export{l as default};
