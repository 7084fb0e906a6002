#include "engine/lab/text_windows.h"

#include <algorithm>
#include <utility>

namespace ingle::lab {
namespace {

constexpr uint32_t kDefaultWindow = 512;
constexpr uint32_t kChunk = session::Model::kPrefillTokens;

}  // namespace

Result<TextWindows> TextWindows::open(const std::string& path, const LoadOptions& load, std::string_view text,
                                      uint32_t windowTokens) {
    TextWindows windows;
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(windows.m_model, session::Model::load(source, load, nullptr));
    const session::OpenedModel& opened = windows.m_model->opened();
    if (!opened.tokenizer) return fail(ErrorCode::Unsupported, "{}: the file has no tokenizer", path);
    const tokenizer::TextSegment segment{std::string(text)};
    INGLE_TRY_ASSIGN(std::vector<TokenId> ids, opened.tokenizer->encode({&segment, 1}, /*addSpecial=*/false));
    const tokenizer::TextSegment nothing;
    INGLE_TRY_ASSIGN(const std::vector<TokenId> specials,
                     opened.tokenizer->encode({&nothing, 1}, /*addSpecial=*/true));
    const auto bos = opened.file.tokenizer.bos;
    const bool startsWithBos = bos && !specials.empty() && specials.front() == *bos;
    if (startsWithBos) ids.insert(ids.begin(), *bos);

    uint32_t window = windowTokens > 0 ? windowTokens : kDefaultWindow;
    if (opened.contextTokens > 0) window = std::min(window, opened.contextTokens);
    if (window < kLeastWindow) {
        return fail(ErrorCode::InvalidArgument, "a window of {} tokens is too short; {} are the least",
                    window, kLeastWindow);
    }
    if (ids.size() < window) {
        return fail(ErrorCode::InvalidArgument, "the text has {} tokens, fewer than a window of {}",
                    ids.size(), window);
    }
    ids.resize(ids.size() / window * window);
    if (startsWithBos)
        for (size_t begin = 0; begin < ids.size(); begin += window) ids[begin] = *bos;
    windows.m_ids = std::move(ids);
    windows.m_window = window;
    INGLE_TRY_ASSIGN(windows.m_program, windows.m_model->compileAllLogits(kChunk));
    INGLE_TRY_ASSIGN(windows.m_sequence, windows.m_model->memory().createSequence());
    return windows;
}

Status TextWindows::read(size_t window, uint32_t first, const Predicted& predicted) {
    const std::span<const TokenId> ids = tokens(window);
    INGLE_TRY(m_sequence->truncate(0));
    for (uint32_t at = 0; at < m_window; at += kChunk) {
        const uint32_t count = std::min(kChunk, m_window - at);
        // Row i predicts token i + 1.
        const uint32_t begin = std::clamp(first, at, at + count);
        const uint32_t end = std::min(at + count, m_window - 1);
        std::vector<uint32_t> rows;
        for (uint32_t i = begin; i < end; ++i) rows.push_back(i - at);
        const backend::SequenceRun run{m_sequence.get(), count};
        INGLE_TRY(m_program->run({ids.subspan(at, count), {&run, 1}, rows}));
        for (uint32_t i = 0; i < rows.size(); ++i) {
            INGLE_TRY_ASSIGN(const std::span<const float> logits, m_program->readOutput(i));
            INGLE_TRY(predicted(logits, ids[at + rows[i] + 1]));
        }
    }
    return {};
}

}  // namespace ingle::lab
