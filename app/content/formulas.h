/// Formulas in text: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. They are recognised and kept as written; a price is
/// no formula.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::content {

struct Formula {
    std::string_view tex;  ///< without its marks
    bool display = false;  ///< `$$` and `\[`: on a line of its own
};

/// What ends an environment that begins here ("\\end{align}" for "\\begin{align}"), which is a formula by
/// itself; empty: none does.
std::string environmentEnd(std::string_view text);

/// Where the formula ends with which a text begins; nothing where it begins with none.
std::optional<size_t> endOfFormula(std::string_view text);

/// Takes a formula that was found apart. `source`: with its marks, whether the closing one is there or not.
Formula formulaOf(std::string_view source);

/// The mark that ends a formula beginning here ("$$", "\\]" …), or an empty text if none begins.
std::string_view closingMark(std::string_view text);

/// Finds formulas in one text, each in constant time per byte of it.
/// `$` opens where no letter or digit stands before it and no space behind it, and closes where no space
/// stands before it and no letter or digit behind it; between them there is no other `$`, and no sentence
/// that begins with a number.
class FormulaFinder {
  public:
    /// `barrier`: a character that no formula goes across (in tables '|'); 0: none. `text` must outlive the
    /// finder.
    explicit FormulaFinder(std::string_view text, char barrier = 0) : m_text(text), m_barrier(barrier) {}

    /// Where a formula that begins at `at` ends.
    std::optional<size_t> endOf(size_t at);

  private:
    std::optional<size_t> endOfDollars(size_t at) const;

    std::string_view m_text;
    char m_barrier;
    /// From these places on there is no such closing mark any more.
    size_t m_noDollars = std::string_view::npos;
    size_t m_noRound = std::string_view::npos;
    size_t m_noSquare = std::string_view::npos;
};

/// The end of a code span that begins at `at` (a backtick), or of the run of backticks where nothing closes
/// it.
struct CodeSpan {
    size_t end;
    bool closed;
};
CodeSpan codeSpanAt(std::string_view text, size_t at);

/// A text in which characters that no valid text holds (see validText) stand for the formulas, so that md4c
/// reads nothing into them, and for punctuation beside emphasis in scripts without spaces: CommonMark wants
/// one between the mark and the next word (`**注意：**下` is bold here).
class MaskedText {
  public:
    /// `barrier` as for FormulaFinder.
    explicit MaskedText(std::string_view text, char barrier = 0);

    const std::string& masked() const { return m_masked; }

    /// Takes a piece of masked() apart: `take(text, isFormula)` in order.
    template <typename Take>
    void unmask(std::string_view piece, const Take& take) const {
        for (size_t mask = piece.find(kMask); mask != std::string_view::npos; mask = piece.find(kMask)) {
            if (mask > 0) take(piece.substr(0, mask), false);
            if (const Held* one = held(piece.substr(mask))) take(std::string_view(one->text), one->isFormula);
            piece.remove_prefix(std::min(mask + kMaskBytes, piece.size()));
        }
        if (!piece.empty()) take(piece, false);
    }

  private:
    /// U+FDD0, and then three digits of the formula's number to the base of 16, which are U+FDD1 to U+FDE0.
    static constexpr std::string_view kMask = "\xEF\xB7\x90";
    static constexpr size_t kMaskBytes = 12;

    struct Held {
        std::string text;
        bool isFormula;
    };

    /// Null where `mask` is none.
    const Held* held(std::string_view mask) const;
    void mask(std::string_view text, bool isFormula);

    std::string m_masked;
    std::vector<Held> m_held;
};

}  // namespace ingle::content
