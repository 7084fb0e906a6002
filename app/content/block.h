/// What a message looks like: blocks, one below the other. Lists and quotations are not nested blocks: each
/// block says in which containers it stands, so that a view of rows draws any nesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ingle::content {

struct BlockKind;

enum class SpanKind { Strong, Emphasis, Strike, Code, Formula, Link, Image };

/// A range of bytes in RichText::text. Spans nest or lie apart; outer ones come first.
struct Span {
    SpanKind kind;
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t target = 0;  ///< Link, Image: index in RichText::targets

    bool operator==(const Span&) const = default;
};

/// Text without markup, and what the markup said. Formulas stand in the text with their marks, as written.
/// Nothing that a target names is ever loaded.
struct RichText {
    std::string text;  ///< valid UTF-8 without U+0000
    std::vector<Span> spans;
    std::vector<std::string> targets;

    bool operator==(const RichText&) const = default;
};

enum class ContainerKind { Quote, Bullet, Number };
enum class TaskState { None, Open, Done };

struct Container {
    ContainerKind kind = ContainerKind::Quote;
    char mark = '>';      ///< as written: '>', '-', '+', '*', or '.' and ')' after a number
    uint32_t number = 0;  ///< Number: the item's
    TaskState task = TaskState::None;

    bool operator==(const Container&) const = default;
};

enum class Alignment { Natural, Left, Centre, Right };

/// How a block follows the one before. A block that goes on with the one before is only there because a long
/// one is cut into bounded ones; the value says what stood between them.
enum class Seam { None, Line, Space, Glued };

/// A block's place in its message is its identity: blocks are only ever added behind.
struct Block {
    const BlockKind* kind = nullptr;
    size_t part = 0;         ///< which part of the message it was made from
    size_t sourceBegin = 0;  ///< bytes of that part's text: the lines it was made from, marks included
    size_t sourceEnd = 0;
    std::vector<Container> containers;  ///< outermost first
    size_t opened = 0;  ///< so many of the innermost containers begin with this block: their marks are shown
    bool spaced = false;  ///< an empty line stands before it
    Seam seam = Seam::None;

    int level = 0;      ///< headings: 1 to 6
    RichText text;      ///< code, formulas, thoughts … have no spans
    std::string label;  ///< code: what follows the fence; of other parts their data
    std::vector<std::vector<RichText>>
        rows;  ///< tables: cells; of a block with Seam::None the first is the head
    std::vector<Alignment> columns;

    bool operator==(const Block&) const = default;
};

}  // namespace ingle::content
