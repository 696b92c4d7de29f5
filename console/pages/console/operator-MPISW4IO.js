import{a}from"./chunk-W2MRN2XU.js";import"./chunk-F4BL6MK6.js";import"./chunk-SQE76S5B.js";export{a as text};
