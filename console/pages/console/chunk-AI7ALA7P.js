import{a as d}from"./chunk-BFIQBEHJ.js";var s=({name:n,class:e,wide:i,children:o})=>d("div",{class:i?"wide":void 0,children:[d("dt",{children:n}),d("dd",{class:e,children:o})]});export{s as a};
