import{A as t,B as e}from"./chunk-LOBLFL7C.js";function h(){return t("chat"),e("h1",{children:"chat"})}export{h as default};
