import{e as o}from"./chunk-7WNSISMT.js";function r(e,n){return class extends o{shouldComponentUpdate(t){return!n(this.props,t)}render(){return e(this.props)}}}export{r as a};
