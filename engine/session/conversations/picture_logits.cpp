/// Logits of a prompt with pictures: what the rows of a vision file do in a text model.
#include <algorithm>
#include <numeric>

#include "engine/base/cpu_features.h"
#include "engine/session/devices/backends.h"
#include "engine/session/loading/model.h"
#include "ingle/pictures.h"

namespace ingle {
namespace {

using backend::Coordinates;

/// Rows that a model reads one behind the other: tokens of a text, or rows of a tile.
struct PromptRun {
    std::vector<TokenId> tokens;  ///< of a picture: zeros
    std::span<const float> rows;  ///< of a picture
    std::vector<Coordinates> coordinates;

    bool isPicture() const { return !rows.empty(); }
};

/// Puts the runs of a prompt together, and counts positions on.
class PromptRuns {
  public:
    PromptRuns(const tokenizer::Tokenizer& tokenizer, bool hasCoordinates)
        : m_tokenizer(tokenizer), m_hasCoordinates(hasCoordinates) {}

    void addText(std::string_view text) { m_text += text; }
    Status addPicture(const EncodedPicture& picture) {
        size_t first = 0;
        for (const PictureTile& tile : picture.tiles) {
            addText(tile.before);
            INGLE_TRY(endText());
            const size_t count = size_t{tile.numRows} * picture.rowWidth;
            addTile(tile, std::span(picture.rows).subspan(first, count), picture.hasGrid);
            first += count;
        }
        addText(picture.after);
        return {};
    }
    Result<std::vector<PromptRun>> take() {
        INGLE_TRY(endText());
        return std::move(m_runs);
    }

  private:
    Status endText() {
        if (m_text.empty() && !m_runs.empty()) return {};
        const tokenizer::TextSegment segment{std::exchange(m_text, {}), true};
        PromptRun run;
        INGLE_TRY_ASSIGN(run.tokens, m_tokenizer.encode({&segment, 1}, m_runs.empty()));
        for (size_t i = 0; i < run.tokens.size(); ++i) run.coordinates.push_back(alike(m_position++));
        if (!run.tokens.empty()) m_runs.push_back(std::move(run));
        return {};
    }
    void addTile(const PictureTile& tile, std::span<const float> rows, bool hasGrid) {
        PromptRun run{std::vector<TokenId>(tile.numRows, 0), rows, {}};
        const bool isPlaced = hasGrid && m_hasCoordinates;
        for (uint32_t row = 0; row < tile.numRows; ++row)
            run.coordinates.push_back(isPlaced ? Coordinates{m_position, m_position + row / tile.columns,
                                                             m_position + row % tile.columns, 0}
                                               : alike(m_position + row));
        m_position += isPlaced ? std::max(tile.columns, tile.lines) : tile.numRows;
        m_runs.push_back(std::move(run));
    }
    /// Of text. Hardly a pair turns by the last coordinate, which is 0 in other engines, too.
    static Coordinates alike(uint32_t position) { return {position, position, position, 0}; }

    const tokenizer::Tokenizer& m_tokenizer;
    bool m_hasCoordinates;
    std::string m_text;
    uint32_t m_position = 0;
    std::vector<PromptRun> m_runs;
};

Result<std::vector<PromptRun>> runsOf(const session::OpenedModel& model, std::string_view prompt,
                                      std::span<const EncodedPicture> pictures) {
    if (!model.tokenizer)
        return fail(ErrorCode::Unsupported, "{}: the file has no tokenizer", model.file.path);
    PromptRuns runs(*model.tokenizer, model.bound.facts().hasCoordinates);
    for (const EncodedPicture& picture : pictures) {
        const size_t mark = prompt.find(kPictureMark);
        if (mark == std::string_view::npos)
            return fail(ErrorCode::InvalidArgument, "{} pictures, and fewer marks {} in the prompt",
                        pictures.size(), kPictureMark);
        if (const uint32_t wanted = model.bound.facts().pictureWidth; picture.rowWidth != wanted)
            return fail(
                ErrorCode::InvalidArgument,
                "{}: the model takes rows of {} numbers, and those of the picture have {}; the vision "
                "file belongs to another model",
                model.file.path, wanted, picture.rowWidth);
        runs.addText(prompt.substr(0, mark));
        INGLE_TRY(runs.addPicture(picture));
        prompt.remove_prefix(mark + kPictureMark.size());
    }
    if (prompt.find(kPictureMark) != std::string_view::npos)
        return fail(ErrorCode::InvalidArgument, "{} pictures, and more marks {} in the prompt",
                    pictures.size(), kPictureMark);
    runs.addText(prompt);
    return runs.take();
}

/// Whether the rows of a picture see each other.
bool seesPicturesWhole(const graph::Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
        const auto* attention = std::get_if<backend::AttentionParams>(&node.params);
        return attention && attention->mask == backend::Mask::Picture;
    });
}

/// The model with places for pictures.
Result<std::unique_ptr<session::OpenedModel>> openForPictures(const io::Source& source,
                                                              const LoadOptions& options) {
    INGLE_TRY_ASSIGN(auto model, session::openModel(source, options));
    const auto definition = model->bound.definition->withPictures();
    if (!definition || definition->facts().pooling)
        return fail(ErrorCode::Unsupported, "{}: models of the family \"{}\" take no pictures", source.path(),
                    model->bound.facts().arch);
    model->bound.definition = definition;
    INGLE_TRY_ASSIGN(model->graph, models::buildGraph(model->bound));
    INGLE_TRY(model->file.expand(options.threads ? options.threads : base::physicalCores()));
    return model;
}

/// One run, in steps of up to `most` rows.
class PromptFeeder {
  public:
    PromptFeeder(backend::Program& program, backend::SequenceMemory& sequence, uint32_t width)
        : m_program(program), m_sequence(sequence), m_width(width) {}

    Status feed(const PromptRun& run, uint32_t most,
                const std::function<void(std::span<const float>)>& row) const {
        for (size_t at = 0; at < run.tokens.size(); at += most) {
            const auto count = static_cast<uint32_t>(std::min<size_t>(most, run.tokens.size() - at));
            std::vector<uint32_t> wanted(run.isPicture() ? 0 : count);
            std::iota(wanted.begin(), wanted.end(), 0U);
            const backend::SequenceRun step{
                .sequence = &m_sequence, .numRows = count, .isPicture = run.isPicture()};
            INGLE_TRY(m_program.run(
                {.tokens = std::span(run.tokens).subspan(at, count),
                 .runs = {&step, 1},
                 .logitRows = wanted,
                 .inputRows = run.isPicture() ? run.rows.subspan(at * m_width, size_t{count} * m_width)
                                              : std::span<const float>(),
                 .coordinates = std::span(run.coordinates).subspan(at, count)}));
            for (const uint32_t index : wanted) {
                INGLE_TRY_ASSIGN(const std::span<const float> values, m_program.readOutput(index));
                row(values);
            }
        }
        return {};
    }

  private:
    backend::Program& m_program;
    backend::SequenceMemory& m_sequence;
    uint32_t m_width;
};

}  // namespace

Status logitsWithPictures(const std::string& path, const LoadOptions& options, std::string_view prompt,
                          std::span<const EncodedPicture> pictures, uint32_t chunkTokens,
                          const std::function<void(std::span<const float>)>& row) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, openForPictures(source, options));
    INGLE_TRY_ASSIGN(const std::vector<PromptRun> runs, runsOf(*model, prompt, pictures));
    const uint32_t chunk = chunkTokens > 0 ? chunkTokens : session::Model::kPrefillTokens;
    const bool isWhole = seesPicturesWhole(model->graph);
    size_t all = 0;
    size_t longest = chunk;
    for (const PromptRun& run : runs) {
        all += run.tokens.size();
        if (isWhole && run.isPicture()) longest = std::max(longest, run.tokens.size());
    }
    INGLE_TRY_ASSIGN(const auto processor, session::createProcessor(options));
    const uint32_t tokens =
        static_cast<uint32_t>(all + backend::kPageTokens - 1) / backend::kPageTokens * backend::kPageTokens;
    INGLE_TRY_ASSIGN(const auto memory,
                     processor->createMemory(model->shape.memory, {.kv = options.kv, .maxTokens = tokens}));
    const auto most = static_cast<uint32_t>(longest);
    INGLE_TRY_ASSIGN(const auto program,
                     processor->compile(session::lowerModel(*model, options, most, most), *memory));
    INGLE_TRY_ASSIGN(const auto sequence, memory->createSequence());
    const PromptFeeder feeder(*program, *sequence, model->bound.facts().pictureWidth);
    for (const PromptRun& run : runs)
        INGLE_TRY(feeder.feed(run, isWhole && run.isPicture() ? most : chunk, row));
    return {};
}

}  // namespace ingle
