/// Texts as models write them, and what is hard to read piece by piece.
#pragma once

#include <string>
#include <vector>

namespace ingle::content {

inline const std::vector<std::string>& corpus() {
    static const std::vector<std::string> texts = {
        "# Title\n\nA *soft* and **strong** `code` [link](https://example.org/a?b=1&c=2).\nSecond line\n\n"
        "1. one\n2. two\n   - inner\n   - inner two\n\n     a paragraph of the item\n3. three\n\n"
        "```python\ndef f():\n\n    return \"\"\"\n# not a heading\n\"\"\"\n```\n"
        "after the fence\n\n> quoted\n> text\n\n| a | b |\n|--:|---|\n| 1 | *2* |\n\n---\n\n"
        "- [x] done\n- [ ] open\n\nText:\n- a\n- b\n\n    indented code\n\n    more\n\nlast ~~words~~",
        "Here is how:\n\n1. **First**: do `this`.\n\n   ```bash\n   ls -l\n   ```\n\n2. **Then**: do that.\n "
        "  - a\n   - b\n"
        "\n3. Done.",
        "Setext\n======\n\nAnother\n---\n\ntext\n\n---\n\n***\n\n_ _ _\n",
        "> a\n> > b\n> c\nlazy\n\n> - x\n>   y\n> - z\n\n> ```\n> code\n> ```\n",
        "- a\n\n- b\n\n\n- c\n- d\n+ e\n+ f\n1. g\n1) h\n",
        "-\n- \n-\n\n  not in it\n\n1.\n2. x\n3.\n",
        "- - - nested\n      - more\n- 1. 2. x\n",
        "[1] is a reference, and so is [label].\n\nno [reference]\n",
        "[a]: https://example.org/a\n[b]: <https://example.org/b> \"title\"\n\nSee [a], [B] and [c][a].\n\n- "
        "[a]\n",
        "a\\\nb  \nc\n*em\nacross* lines\n",
        "    code\n\n      deeper\n\n\n    end\ntext\n    not code\n",
        "\tcode by tab\n\n-\tx\n\n\ty\n\n>\tquote\n\n-   a\n\n\tb\n",
        "&amp; &lt; &copy; &#65; &#x42; &unknown; &#0; &nbsp;\n",
        "<div>\n\n<b>x</b> &lt;i&gt; <!-- no -->\n\n<script>alert(1)</script>\n",
        "www.example.org and https://example.org/a_b_c, (see http://x.org/) or a@b.org\n",
        "a * b * c, 2*3*4, snake_case_name, __init__, *a*b, ***both***, **a*b**\n",
        "| only | head |\n|---|---|\n\nx | y\n:--|--:\n\\| | `a`\n\n| a |\n|---|\n| b | c | d |\n|\n",
        "1. a\n\n   b\n\n       code in it\n\n   c\n\nd\n",
        "Text\n* item right below\n* another\n\n  with a paragraph\n\nend",
        "2. starts at two\n3. three\n7. is four\n",
        "text\n2. does not interrupt\n1. does\n",
        "`` code with ` in it `` and ``` three ``` and `unclosed\n\n``` not a fence ``` here\n",
        "Line one\r\nline two\r\n\r\n- a\r\n- b\r\rlast\rone",
        "日本語の文章です。**太字**と*強調*。\n\n- 一\n- 二\n\n> 引用\n",
        "مرحبا **بالعالم**\n\nשלום `code` עולם\n",
        "",
        "\n\n\n",
        "a",
    };
    return texts;
}

}  // namespace ingle::content
