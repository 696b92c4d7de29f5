import{A as e,B as t}from"./chunk-LOBLFL7C.js";function r(){return e("create"),t("h1",{children:"create"})}export{r as default};
