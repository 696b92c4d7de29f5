import{a,b,c}from"./chunk-WK5HPVUO.js";import"./chunk-SQE76S5B.js";export{c as areaPath,a as areas,b as decisions};
