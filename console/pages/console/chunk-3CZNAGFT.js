import{g as o}from"./chunk-PPBBBAJU.js";function p(n,t){return class extends o{shouldComponentUpdate(e){return!t(this.props,e)}render(e){return n(e)}}}export{p as a};
