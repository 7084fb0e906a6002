#include "app/desktop/viewmodels/markdown_blocks.h"

#include <md4c.h>

#include <algorithm>
#include <vector>

namespace ingle::desktop {
namespace {

constexpr unsigned kDialect = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;

QString attributeText(const MD_ATTRIBUTE& attribute) {
    return QString::fromUtf8(attribute.text, attribute.size);
}

bool isSafeLink(const QString& target) {
    return target.startsWith("https://") || target.startsWith("http://") || target.startsWith("mailto:");
}

/// Collects md4c's callbacks into blocks.
class BlockBuilder {
  public:
    QList<MarkdownBlock> take() {
        close();
        return std::move(m_blocks);
    }

    void enterBlock(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                close();
                ++m_quote;
                break;
            case MD_BLOCK_UL:
                close();
                m_lists.push_back({.ordered = false});
                break;
            case MD_BLOCK_OL: {
                close();
                const auto& list = *static_cast<MD_BLOCK_OL_DETAIL*>(detail);
                m_lists.push_back({.ordered = true, .next = list.start, .delimiter = list.mark_delimiter});
                break;
            }
            case MD_BLOCK_LI:
                beginItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
                break;
            case MD_BLOCK_HR:
                open(MarkdownBlock::Kind::Rule);
                close();
                break;
            case MD_BLOCK_H:
                open(MarkdownBlock::Kind::Heading).level =
                    static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
                break;
            case MD_BLOCK_CODE:
                open(MarkdownBlock::Kind::Code).language =
                    attributeText(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
                break;
            case MD_BLOCK_P:
                open(MarkdownBlock::Kind::Paragraph);
                break;
            case MD_BLOCK_TABLE:
                open(MarkdownBlock::Kind::Table);
                break;
            case MD_BLOCK_TR:
                m_block.rows.append(QStringList());
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                beginCell(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align);
                break;
            default:
                break;
        }
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                close();
                --m_quote;
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                close();
                m_lists.pop_back();
                break;
            case MD_BLOCK_LI:
                // An item without text still shows its marker.
                if (!m_marker.isEmpty()) open(MarkdownBlock::Kind::Paragraph);
                close();
                break;
            case MD_BLOCK_H:
            case MD_BLOCK_CODE:
            case MD_BLOCK_P:
            case MD_BLOCK_TABLE:
                close();
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                m_block.rows.last().append(std::move(m_block.html));
                m_block.html.clear();
                m_block.plain.append('\t');
                break;
            case MD_BLOCK_TR:
                m_block.plain.append('\n');
                break;
            default:
                break;
        }
    }

    void enterSpan(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_A) {
            beginLink(attributeText(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        } else if (type == MD_SPAN_IMG) {
            beginLink(attributeText(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        } else {
            m_block.html.append(spanTag(type, "<"));
        }
    }

    void leaveSpan(MD_SPANTYPE type) {
        if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
            endLink();
        } else {
            m_block.html.append(spanTag(type, "</"));
        }
    }

    void text(MD_TEXTTYPE type, const QString& text) {
        // The text of a tight list item comes without a paragraph of its own.
        if (!m_open) open(MarkdownBlock::Kind::Paragraph);
        switch (type) {
            case MD_TEXT_BR:
            case MD_TEXT_SOFTBR:
                // A single newline is meant in chat answers (verses, addresses), so it stays one.
                m_block.html.append("<br/>");
                m_block.plain.append('\n');
                break;
            case MD_TEXT_NULLCHAR:
                append(QString(QChar::ReplacementCharacter));
                break;
            case MD_TEXT_ENTITY:
                // Qt's rich text knows the entities of HTML 4; an unknown one is shown as written.
                m_block.html.append(text);
                m_block.plain.append(text);
                break;
            default:
                append(text);
                break;
        }
    }

  private:
    struct List {
        bool ordered;
        unsigned next = 1;
        char delimiter = '.';
    };

    static QString spanTag(MD_SPANTYPE type, const char* bracket) {
        switch (type) {
            case MD_SPAN_EM:
                return QLatin1String(bracket) + QLatin1String("i>");
            case MD_SPAN_STRONG:
                return QLatin1String(bracket) + QLatin1String("b>");
            case MD_SPAN_DEL:
                return QLatin1String(bracket) + QLatin1String("s>");
            case MD_SPAN_CODE:
                return QLatin1String(bracket) + QLatin1String("code>");
            default:
                return {};
        }
    }

    void append(const QString& text) {
        m_block.plain.append(text);
        if (m_block.kind != MarkdownBlock::Kind::Code) m_block.html.append(text.toHtmlEscaped());
    }

    void beginItem(const MD_BLOCK_LI_DETAIL& item) {
        close();
        List& list = m_lists.back();
        if (item.is_task != 0) {
            m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
        } else if (list.ordered) {
            m_marker = QString::number(list.next) + QLatin1Char(list.delimiter);
        } else {
            m_marker = QStringLiteral("•");
        }
        ++list.next;
    }

    void beginCell(MD_ALIGN align) {
        if (m_block.rows.size() > 1) return;
        m_block.columns.append(align == MD_ALIGN_RIGHT    ? Qt::AlignRight
                               : align == MD_ALIGN_CENTER ? Qt::AlignHCenter
                                                          : Qt::AlignLeft);
    }

    void beginLink(const QString& target) {
        m_links.push_back(target);
        if (isSafeLink(target)) {
            m_block.html.append(QStringLiteral("<a href=\"%1\">").arg(target.toHtmlEscaped()));
        }
    }

    void endLink() {
        const QString target = m_links.back();
        m_links.pop_back();
        if (isSafeLink(target)) {
            m_block.html.append("</a>");
        } else if (!target.isEmpty()) {
            append(QStringLiteral(" (%1)").arg(target));
        }
    }

    MarkdownBlock& open(MarkdownBlock::Kind kind) {
        close();
        m_block = {};
        m_block.kind = kind;
        m_block.indent = static_cast<int>(m_lists.size());
        m_block.quote = m_quote;
        m_block.marker = std::exchange(m_marker, {});
        m_open = true;
        return m_block;
    }

    void close() {
        if (!m_open) return;
        m_open = false;
        // md4c ends every code line, also the last, with a newline.
        if (m_block.kind == MarkdownBlock::Kind::Code && m_block.plain.endsWith('\n')) m_block.plain.chop(1);
        m_blocks.append(std::move(m_block));
        m_block = {};
    }

    QList<MarkdownBlock> m_blocks;
    MarkdownBlock m_block;
    bool m_open = false;
    int m_quote = 0;
    QString m_marker;
    std::vector<List> m_lists;
    std::vector<QString> m_links;
};

bool isBlank(std::string_view line) {
    return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

size_t indentOf(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool startsListItem(std::string_view line) {
    line.remove_prefix(indentOf(line));
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view markers = digits > 0 ? ".)" : "-*+";
    return digits < line.size() && markers.find(line[digits]) != std::string_view::npos &&
           (digits + 1 == line.size() ||
            std::string_view(" \t\r\n").find(line[digits + 1]) != std::string_view::npos);
}

/// The run of backticks or tildes that opens a fenced code block on this line, or an empty string.
std::string_view openingFence(std::string_view line) {
    line.remove_prefix(indentOf(line));
    if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
    const size_t length = std::min(line.find_first_not_of(line[0]), line.size());
    if (length < 3) return {};
    // ```a`b``` on one line is inline code.
    if (line[0] == '`' && line.find('`', length) != std::string_view::npos) return {};
    return line.substr(0, length);
}

bool closesFence(std::string_view line, std::string_view fence) {
    if (indentOf(line) > 3) return false;
    line.remove_prefix(indentOf(line));
    const size_t length = std::min(line.find_first_not_of(fence[0]), line.size());
    return length >= fence.size() && isBlank(line.substr(length));
}

/// Lines around what a model thinks; see marked_text.h.
constexpr std::string_view kThinkBegin = "<think>\n";
constexpr std::string_view kThinkEnd = "</think>\n";

/// A segment as one block of reasoning.
MarkdownBlock reasoningBlock(std::string_view segment) {
    segment.remove_prefix(kThinkBegin.size());
    MarkdownBlock block;
    block.kind = MarkdownBlock::Kind::Reasoning;
    const size_t end =
        segment.ends_with(kThinkEnd) ? segment.size() - kThinkEnd.size() : std::string_view::npos;
    block.level = end == std::string_view::npos ? 1 : 0;
    block.plain = QString::fromUtf8(segment.substr(0, end)).trimmed();
    return block;
}

QList<MarkdownBlock> parseSegment(std::string_view segment) {
    if (segment.starts_with(kThinkBegin)) return {reasoningBlock(segment)};
    return parseMarkdown(segment);
}

}  // namespace

QList<MarkdownBlock> parseMarkdown(std::string_view text) {
    BlockBuilder builder;
    const MD_PARSER parser = {
        .abi_version = 0,
        .flags = kDialect,
        .enter_block =
            [](MD_BLOCKTYPE type, void* detail, void* self) {
                static_cast<BlockBuilder*>(self)->enterBlock(type, detail);
                return 0;
            },
        .leave_block =
            [](MD_BLOCKTYPE type, void*, void* self) {
                static_cast<BlockBuilder*>(self)->leaveBlock(type);
                return 0;
            },
        .enter_span =
            [](MD_SPANTYPE type, void* detail, void* self) {
                static_cast<BlockBuilder*>(self)->enterSpan(type, detail);
                return 0;
            },
        .leave_span =
            [](MD_SPANTYPE type, void*, void* self) {
                static_cast<BlockBuilder*>(self)->leaveSpan(type);
                return 0;
            },
        .text =
            [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* self) {
                static_cast<BlockBuilder*>(self)->text(type, QString::fromUtf8(begin, size));
                return 0;
            },
        .debug_log = nullptr,
        .syntax = nullptr,
    };
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &builder);
    return builder.take();
}

void MarkdownStream::append(std::string_view text) {
    m_tail.append(text);
    scanLines();
    m_blocks.resize(m_frozenCount);
    m_blocks.append(parseSegment(m_tail));
    m_parsedBytes += m_tail.size();
}

void MarkdownStream::scanLines() {
    size_t end = 0;
    // Only complete lines decide: half a line could still become a list item or a fence.
    while ((end = m_tail.find('\n', m_scanned)) != std::string::npos) {
        const size_t start = m_scanned;
        takeLine(std::string_view(m_tail).substr(start, end + 1 - start), start);
    }
}

void MarkdownStream::takeLine(std::string_view line, size_t lineStart) {
    const size_t lineLength = line.size();
    const auto startSegment = [&] {
        const bool list = startsListItem(line);
        freezeBefore(lineStart);
        lineStart = 0;
        m_listSegment = list;
    };
    if (!m_fence.empty()) {
        const bool closed = m_fence == kThinkBegin ? line == kThinkEnd : closesFence(line, m_fence);
        m_scanned = lineStart + lineLength;
        if (closed) {
            m_fence.clear();
            freezeBefore(m_scanned);
            m_listSegment = false;
        }
        m_blankBefore = false;
        return;
    }
    // In a list, text indented by two or more belongs to the item, and so does a fence there.
    const size_t outerIndent = m_listSegment ? 1 : 3;
    const std::string fence(line == kThinkBegin ? kThinkBegin : openingFence(line));
    const bool blank = isBlank(line);
    if (!fence.empty() && indentOf(line) <= outerIndent) {
        startSegment();
        m_fence = fence;
    } else if (lineStart == 0) {
        m_listSegment = startsListItem(line);
    } else if (m_blankBefore && !blank && line[0] != ' ' && line[0] != '\t' &&
               !(m_listSegment && startsListItem(line))) {
        startSegment();
    } else if (startsListItem(line)) {
        m_listSegment = true;
    }
    m_blankBefore = blank;
    m_scanned = lineStart + lineLength;
}

void MarkdownStream::freezeBefore(size_t end) {
    m_blocks.resize(m_frozenCount);
    m_blocks.append(parseSegment(std::string_view(m_tail).substr(0, end)));
    m_parsedBytes += end;
    m_frozenCount = m_blocks.size();
    m_tail.erase(0, end);
    m_scanned = 0;
}

}  // namespace ingle::desktop
