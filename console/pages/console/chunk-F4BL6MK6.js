function t(r){for(let o of globalThis.navigator?.languages??[]){let e=r[o.split("-")[0]];if(e)return e}return r.en}export{t as a};
