var e=["completed","partial_failure","failed","cancelled"],o=t=>e.includes(t);export{o as a};
