import{l as d}from"./chunk-PPBBBAJU.js";var e=({name:n,class:o,children:t})=>d("div",{children:[d("dt",{children:n}),d("dd",{class:o,children:t})]});export{e as a};
