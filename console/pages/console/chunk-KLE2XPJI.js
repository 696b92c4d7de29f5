import{a as r}from"./chunk-BFIQBEHJ.js";import{a as e}from"./chunk-RJHF2ML2.js";var g=({page:i,children:o})=>r("a",{href:`${e}/${i}.md`,rel:"noreferrer",children:o});export{g as a};
