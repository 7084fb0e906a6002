/// Small documents of every format, made here byte by byte.
#pragma once

#include <fmt/format.h>
#include <zip.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingle::test {

using Parts = std::vector<std::pair<std::string, std::string>>;

/// An archive of these parts; the first is stored as it is, as OpenDocument wants it, the others are packed.
inline std::string zipOf(const Parts& parts, const char* password = nullptr) {
    zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
    zip_source_keep(target);
    zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
    for (const auto& [name, content] : parts) {
        zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
        const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                                 index == 0 ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
        zip_file_set_mtime(archive, static_cast<zip_uint64_t>(index), 1'700'000'000, 0);
        if (password)
            zip_file_set_encryption(archive, static_cast<zip_uint64_t>(index), ZIP_EM_AES_256, password);
    }
    zip_close(archive);
    std::string bytes;
    zip_source_open(target);
    char buffer[4096];
    while (const zip_int64_t count = zip_source_read(target, buffer, sizeof buffer)) {
        if (count < 0) break;
        bytes.append(buffer, static_cast<size_t>(count));
    }
    zip_source_free(target);
    return bytes;
}

inline constexpr std::string_view kWordNamespaces =
    R"(xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" )"
    R"(xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture")";

/// A Word document whose body is this; styles of a German Word.
inline Parts wordParts(std::string_view body) {
    return {
        {"[Content_Types].xml", "<Types/>"},
        {"_rels/.rels",
         R"(<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/)"
         R"(officeDocument" Target="word/document.xml"/></Relationships>)"},
        {"word/styles.xml",
         fmt::format(R"(<w:styles {}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>)"
                     R"(<w:style w:styleId="Eigen"><w:name w:val="Eigen"/><w:basedOn )"
                     R"(w:val="berschrift2"/></w:style></w:styles>)",
                     kWordNamespaces)},
        {"word/document.xml",
         fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document {}><w:body>{}</w:body>"
                     "</w:document>",
                     kWordNamespaces, body)},
        {"word/footnotes.xml",
         fmt::format(
             R"(<w:footnotes {}><w:footnote w:id="-1"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>)"
             R"(<w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>)",
             kWordNamespaces)},
        {"docProps/core.xml",
         R"(<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A &amp; B</dc:title></p>)"},
    };
}

inline constexpr std::string_view kWordBody =
    R"(<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>First</w:t></w:r></w:p>)"
    R"(<w:p><w:r><w:t xml:space="preserve">One </w:t></w:r><w:r><w:t>two</w:t><w:footnoteReference w:id="1"/></w:r>)"
    R"(<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>)"
    R"(<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>)"
    R"(<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr></w:pPr><w:r><w:t>inner</w:t></w:r></w:p>)"
    R"(<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b|c</w:t></w:r></w:p></w:tc>)"
    R"(</w:tr><w:tr><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p><w:p><w:r><w:t>e</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc>)"
    R"(</w:tr></w:tbl><w:p><w:pPr><w:pStyle w:val="Eigen"/></w:pPr><w:r><w:t>Second</w:t></w:r></w:p>)"
    R"(<w:p><w:r><w:drawing><pic:pic/></w:drawing><w:t>Grüße</w:t><w:br/><w:t>x</w:t></w:r></w:p>)";

inline std::string wordDocument(std::string_view body = kWordBody) {
    return zipOf(wordParts(body));
}

inline constexpr std::string_view kOfficeNamespaces =
    R"(xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" )"
    R"(xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" )"
    R"(xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" )"
    R"(xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" )"
    R"(xmlns:dc="http://purl.org/dc/elements/1.1/")";

inline constexpr std::string_view kOfficeBody =
    R"(<text:h text:outline-level="1">Top</text:h><text:p>One   <text:span>two</text:span><text:s text:c="2"/>three)"
    R"(<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body>)"
    R"(</text:note><office:annotation><text:p>no</text:p></office:annotation></text:p>)"
    R"(<text:list><text:list-item><text:p>item</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item>)"
    R"(</text:list></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>a</text:p>)"
    R"(</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>)"
    R"(<text:p><draw:image/>End.</text:p>)";

inline Parts openDocumentParts(std::string_view body = kOfficeBody,
                               std::string_view manifest = "<manifest/>") {
    return {
        {"mimetype", "application/vnd.oasis.opendocument.text"},
        {"META-INF/manifest.xml", std::string(manifest)},
        {"content.xml", fmt::format("<office:document-content {}><office:body><office:text>{}</office:text>"
                                    "</office:body></office:document-content>",
                                    kOfficeNamespaces, body)},
        {"meta.xml",
         fmt::format("<office:meta {}><dc:title>Titled</dc:title></office:meta>", kOfficeNamespaces)}};
}

inline std::string openDocument() {
    return zipOf(openDocumentParts());
}

/// A PDF of these objects, numbered from 1; the first is its catalogue. `trailer`: what it has beside Root
/// and Size.
inline std::string pdfOf(const std::vector<std::string>& objects, std::string_view trailer = "") {
    std::string pdf = "%PDF-1.4\n", table;
    for (size_t i = 0; i < objects.size(); ++i) {
        table += fmt::format("{:010} 00000 n \n", pdf.size());
        pdf += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const size_t at = pdf.size();
    return pdf + fmt::format(
                     "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<</Root 1 0 R/Size "
                     "{0}{2}>>\nstartxref\n{3}\n%%EOF\n",
                     objects.size() + 1, table, trailer, at);
}

inline std::string streamOf(std::string_view content) {
    return fmt::format("<</Length {}>>\nstream\n{}\nendstream", content.size(), content);
}

/// Pages with these words in Helvetica, one under the other where a page has several lines.
inline std::vector<std::string> pdfObjects(const std::vector<std::string>& pages) {
    std::string kids;
    for (size_t i = 0; i < pages.size(); ++i) kids += fmt::format("{} 0 R ", 4 + 2 * i);
    std::vector<std::string> objects{
        "<</Type/Catalog/Pages 2 0 R>>", fmt::format("<</Type/Pages/Kids[{}]/Count {}>>", kids, pages.size()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"};
    for (size_t i = 0; i < pages.size(); ++i) {
        objects.push_back(
            fmt::format("<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents {} 0 R/Resources"
                        "<</Font<</F 3 0 R>>>>>>",
                        5 + 2 * i));
        objects.push_back(streamOf(pages[i].empty()
                                       ? "0 0 m 100 100 l S"
                                       : fmt::format("BT /F 12 Tf 40 300 Td ({}) Tj ET", pages[i])));
    }
    return objects;
}

inline std::string pdfWith(const std::vector<std::string>& pages, std::string_view trailer = "") {
    return pdfOf(pdfObjects(pages), trailer);
}

/// Whose user password is not the empty one: its check value is one that no password gives.
inline std::string encryptedPdf() {
    return pdfWith({"secret"},
                   fmt::format("/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{0}>/U<{0}>>>",
                               std::string(64, '4')));
}

inline constexpr std::string_view kPage =
    "<!DOCTYPE html><html><head><title>The page</title><style>p {}</style><script>no()</script></head><body>"
    "<h1>Top</h1><p>One\n  <b>two</b>&amp;three<br>four<img "
    "src=x></p><ul><li>item<ul><li>inner</li></ul></li>"
    "<li>last</li></ul><pre>a\n  b</pre><table><tr><th>a</th><td>b</td></tr></table>"
    "<p hidden>no</p><p style=\"display: none\">no</p><div>End.</div></body></html>";

inline constexpr std::string_view kMarkdown =
    "# Top #\n\nWords\nand more\n\nSecond\n------\n\n```\n# no heading\n```\n\n### Third\n";

}  // namespace ingle::test
