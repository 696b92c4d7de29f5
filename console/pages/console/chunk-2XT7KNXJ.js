function e(t){try{return localStorage.getItem(t)??""}catch{return""}}function n(t,r){try{localStorage.setItem(t,r)}catch{}}export{e as a,n as b};
