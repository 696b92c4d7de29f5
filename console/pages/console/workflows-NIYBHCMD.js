import{A as o,B as f}from"./chunk-LOBLFL7C.js";function r(){return o("workflows"),f("h1",{children:"workflows"})}export{r as default};
