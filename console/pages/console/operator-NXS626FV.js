import{a}from"./chunk-Q4QMY3O3.js";import"./chunk-F4BL6MK6.js";import"./chunk-SQE76S5B.js";export{a as text};
