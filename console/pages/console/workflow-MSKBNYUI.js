import{A as o,B as f}from"./chunk-LOBLFL7C.js";function r(){return o("workflow"),f("h1",{children:"workflow"})}export{r as default};
