function o(n){let e=String(n??"").replace(/^[=+\-@\t\r]/,"'$&");return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var c=(n,e)=>[n.join(","),...e.map(r=>n.map(t=>o(r[t])).join(","))].join(`\r
`)+`\r
`;function a(n,e,r){let t=URL.createObjectURL(new Blob([c(e,r)],{type:"text/csv"})),l=document.createElement("a");l.href=t,l.download=n,l.click(),setTimeout(()=>URL.revokeObjectURL(t),1e4)}export{a};
