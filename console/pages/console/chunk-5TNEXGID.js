import{g as o}from"./chunk-PPBBBAJU.js";function r(e,n){return class extends o{shouldComponentUpdate(t){return!n(this.props,t)}render(){return e(this.props)}}}export{r as a};
