import{a as d}from"./chunk-BFIQBEHJ.js";var s=({name:n,class:t,children:o})=>d("div",{children:[d("dt",{children:n}),d("dd",{class:t,children:o})]});export{s as a};
