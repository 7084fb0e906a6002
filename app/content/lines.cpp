#include "app/content/lines.h"

namespace ingle::content {
namespace {

std::string itemMark(const Container& container) {
    std::string mark = container.kind == ContainerKind::Number
                           ? std::to_string(container.number) + container.mark
                           : std::string(1, container.mark);
    return mark + " ";
}

std::string_view taskMark(TaskState task) {
    return task == TaskState::Open ? "[ ] " : task == TaskState::Done ? "[x] " : "";
}

/// What stands before the lines of a block: `first` before its first one, `others` before the rest.
struct Margin {
    std::string first;
    std::string others;
};

Margin marginOf(const Block& block, size_t opened, const LineForm& form) {
    Margin margin;
    for (size_t depth = 0; depth < block.containers.size(); ++depth) {
        const Container& container = block.containers[depth];
        if (container.kind == ContainerKind::Quote) {
            margin.first.append(form.quoteMark);
            margin.others.append(form.quoteMark);
            continue;
        }
        const std::string mark = itemMark(container);
        const bool begins = depth + opened >= block.containers.size();
        margin.first.append(begins ? mark : std::string(mark.size(), ' '));
        if (begins) margin.first.append(taskMark(container.task));
        margin.others.append(mark.size(), ' ');
    }
    return margin;
}

std::string withMargin(std::string_view text, const Margin& margin) {
    std::string out = margin.first;
    for (size_t at = 0; at < text.size(); ++at) {
        out.push_back(text[at]);
        // An empty line needs no white space before it.
        if (text[at] == '\n') out.append(margin.others);
    }
    return out;
}

void trimSpaces(std::string& text) {
    text.erase(text.find_last_not_of(' ') + 1);
}

/// An item that stands directly below the one above.
bool isTight(const Block& block) {
    return !block.spaced && block.opened > 0 && !block.containers.empty() &&
           block.containers.back().kind != ContainerKind::Quote;
}

}  // namespace

std::string inLines(std::span<const Block> blocks, const LineForm& form) {
    std::string out;
    for (size_t number = 0; number < blocks.size(); ++number) {
        const Block& block = blocks[number];
        if (number > 0) {
            out.push_back('\n');
            if (!isTight(block)) {
                // Between two blocks of a quotation the empty line belongs to it.
                Block outer = block;
                outer.containers.resize(block.containers.size() - block.opened);
                std::string empty = marginOf(outer, 0, form).others;
                trimSpaces(empty);
                out.append(empty).append("\n");
            }
        }
        const std::string text = form.block(block);
        std::string lines = withMargin(text, marginOf(block, block.opened, form));
        if (text.empty()) trimSpaces(lines);
        out.append(lines);
    }
    return out;
}

}  // namespace ingle::content
