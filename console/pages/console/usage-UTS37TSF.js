import{A as e,B as u}from"./chunk-LOBLFL7C.js";function o(){return e("usage"),u("h1",{children:"usage"})}export{o as default};
