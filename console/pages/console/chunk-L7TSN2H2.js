var e;function n(o){e=o}function r(o){if(e?.workflowId!==o)return;let t=e;return e=void 0,t}export{n as a,r as b};
