// The documentation as a site: the files of docs/, navigated by the tables of docs/README.md.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = path.join(root, 'docs')
const repository = 'https://github.com/atelier-project/atelier'

const icon = readFileSync(path.join(root, 'console/app/icon.svg'), 'utf8')
const read = (page) => readFileSync(path.join(docs, page), 'utf8')
const title = (page) => read(page).match(/^# (.+)$/m)[1].replaceAll('`', '')
const linksOf = (text, folder = '') =>
  [...text.matchAll(/\]\(([^)\s#:]+\.md)[^)]*\)/g)].map(([, link]) => path.posix.join(folder, link))
const isPage = (page) => !page.startsWith('..') && existsSync(path.join(docs, page))

// A page that is the index of a folder (adr/README.md, operations.md) has the pages of that folder below it.
function entry(page) {
  const folder = page.endsWith('/README.md') ? path.posix.dirname(page) : page.replace(/\.md$/, '')
  const below = existsSync(path.join(docs, folder)) ? linksOf(read(page), path.posix.dirname(page)) : []
  const items = [...new Set(below)].filter((p) => p !== page && p.startsWith(folder + '/') && isPage(p))
  const link = '/' + page.replace(/README\.md$/, 'index.md')
  return { text: title(page), link, ...(items.length > 0 && { collapsed: true, items: items.map(entry) }) }
}

// Each section of docs/README.md is a group, each row of its table an entry.
const sidebar = read('README.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const rows = section.split('\n').filter((line) => line.startsWith('| ['))
    return {
      text: section.slice(0, section.indexOf('\n')),
      collapsed: false,
      items: rows.flatMap((row) => linksOf(row).slice(0, 1)).filter(isPage).map(entry),
    }
  })

// A link to a file outside docs/ leads to the repository, one to README.md to the page that it becomes.
function mendLink(href, page) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [link, anchor] = href.split('#')
  const file = path.resolve(path.dirname(page), link)
  if (!existsSync(file)) throw new Error(`${page}: ${href} is not there`)
  const isFolder = statSync(file).isDirectory()
  if (file.startsWith(docs + path.sep) && !isFolder) return href.replace(/README\.md/, 'index.md')
  const place = path.relative(root, file).split(path.sep).join('/')
  return `${repository}/${isFolder ? 'tree' : 'blob'}/main/${place}${anchor ? '#' + anchor : ''}`
}

function configure(md) {
  md.core.ruler.push('mend_links', ({ tokens, env }) => {
    for (const token of tokens.flatMap((t) => t.children ?? [])) {
      if (token.type === 'link_open') token.attrSet('href', mendLink(token.attrGet('href'), env.realPath ?? env.path))
    }
  })
  // Vue would take {{key}} for an expression.
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;')
  }
}

// The names of headings are those of GitHub, so that a link works in both.
const slugify = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

// The pages are not below this folder, where the packages are that they become modules of.
const packages = {
  name: 'packages',
  enforce: 'pre',
  resolveId(id, importer, options) {
    const isOurs = importer?.startsWith(docs + path.sep) && /^vue(\/|$)/.test(id)
    return isOurs ? this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true }) : null
  },
}

const home = {
  layout: 'home',
  hero: {
    name: 'atelier',
    text: 'Images, video, music, speech and chat on your own machines',
    tagline: 'One binary, one API, one ledger.',
    actions: [
      { text: 'First steps', link: '/guides/first-steps' },
      { text: 'Install', link: '/guides/install', theme: 'alt' },
      { text: 'Operations', link: '/operations', theme: 'alt' },
    ],
  },
}

export default {
  title: 'atelier',
  description: 'A self-hosted service for creative generation',
  head: [
    ['link', { rel: 'icon', href: 'data:image/svg+xml,' + encodeURIComponent(icon) }],
    ['style', {}, '.VPHome .vp-doc table { display: table; width: 100% }'],
  ],
  srcDir: '../docs',
  outDir: 'dist',
  cacheDir: '../.cache/vitepress',
  vite: { plugins: [packages] },
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  markdown: { config: configure, anchor: { slugify } },
  transformPageData: (page) => (page.relativePath === 'index.md' ? { frontmatter: home } : undefined),
  themeConfig: {
    sidebar,
    nav: [
      ...sidebar.map(({ text, items }) => ({ text, link: items[0].link })),
      { text: 'Repository', link: repository },
    ],
    search: { provider: 'local' },
    outline: [2, 3],
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' },
  },
}
