import{A as e,B as t}from"./chunk-LOBLFL7C.js";function l(){return e("templates"),t("h1",{children:"templates"})}export{l as default};
