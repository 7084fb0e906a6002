#include "engine/session/loading/model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/formats/kind.h"
#include "engine/graph/lower.h"
#include "engine/import/quant_mix.h"
#include "engine/models/draft_head.h"
#include "engine/session/devices/computer.h"
#include "ingle/error_ids.h"
#include "ingle/size_text.h"

namespace ingle::session {
namespace {

/// What the program takes before a model is there, its libraries included.
constexpr uint64_t kProgramBytes = 16 << 20;
/// Of a vocabulary, with what finds tokens in it.
constexpr uint64_t kBytesPerToken = 200;
/// A smaller model is worth an import from this share of the present one on.
constexpr double kWorthAnImport = 0.85;

/// Tables of which each token needs one row, and nothing else needs any (output layers share some): where
/// they lie in the file they take memory row by row.
std::vector<std::span<const std::byte>> tablesOfRows(const OpenedModel& model) {
    std::map<const std::byte*, std::span<const std::byte>> tables;
    std::set<const std::byte*> readWhole;
    for (const graph::Node& node : model.graph.nodes) {
        for (const uint32_t weight : node.weights) {
            const std::span<const std::byte> bytes = model.graph.weights[weight].tensor->data;
            if (node.code != backend::OpCode::Embed)
                readWhole.insert(bytes.data());
            else if (io::MappedFile::isMapped(bytes.data()))
                tables.emplace(bytes.data(), bytes);
        }
    }
    std::vector<std::span<const std::byte>> found;
    for (const auto& [address, bytes] : tables)
        if (!readWhole.contains(address)) found.push_back(bytes);
    return found;
}

/// Tensors that nothing is computed with, such as layers that predict further tokens.
std::vector<std::span<const std::byte>> unusedTensors(const OpenedModel& model) {
    std::set<const std::byte*> used;
    for (const auto& weight : model.graph.weights) used.insert(weight.tensor->data.data());
    if (model.head)
        for (const auto& weight : model.head->graph.weights) used.insert(weight.tensor->data.data());
    std::vector<std::span<const std::byte>> found;
    for (const auto& [name, tensor] : model.file.tensors) {
        const std::span<const std::byte> bytes = tensor.data;
        const auto next = used.lower_bound(bytes.data());
        const bool isUsed = next != used.end() && *next < bytes.data() + bytes.size();
        if (!bytes.empty() && !isUsed && io::MappedFile::isMapped(bytes.data())) found.push_back(bytes);
    }
    return found;
}

/// Nothing where the file has none, or one that this version cannot compute: answers do not need it.
std::optional<PredictionHead> findHead(const OpenedModel& model) {
    auto bound = models::bindHead(model.file, model.bound);
    if (!bound) return std::nullopt;
    auto graph = models::buildGraph(*bound);
    if (!graph) return std::nullopt;
    return PredictionHead{*std::move(bound), *std::move(graph)};
}

/// The model as its file has it, which hands over what a head reads that is given to it.
Status bind(OpenedModel& model, uint32_t contextTokens) {
    INGLE_TRY_ASSIGN(model.bound, models::bindModel(model.file, contextTokens));
    if (!model.handedOver.empty())
        model.bound.definition = model.bound.definition->handingOver(model.handedOver);
    INGLE_TRY_ASSIGN(model.graph, models::buildGraph(model.bound));
    return {};
}

/// A draft that is no model but a head for this one. Nothing happens where it is none.
Status takeDraftHead(OpenedModel& model, const std::string& path, uint32_t contextTokens) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    auto file = std::make_shared<formats::ModelFile>();
    INGLE_TRY_ASSIGN(*file, formats::openModelFile(source));
    const std::string arch = file->metadata.stringOr("general.architecture", "").value_or("");
    if (arch != models::kDraftHeadArch) return {};
    INGLE_TRY_ASSIGN(models::DraftHead draft, models::bindDraftHead(*file, model.file, model.bound.facts()));
    if (!model.bound.definition->handingOver(draft.layers))
        return fail(ErrorCode::InvalidArgument,
                    "{}: models of the family \"{}\" do not hand over what this head reads", path,
                    model.bound.facts().arch);
    model.handedOver = draft.layers;
    INGLE_TRY(bind(model, contextTokens));
    PredictionHead head{.bound = std::move(draft.head), .tokens = std::move(draft.tokens)};
    INGLE_TRY_ASSIGN(head.graph, models::buildGraph(head.bound));
    RowFusion fusion{.bound = std::move(draft.fusion)};
    INGLE_TRY_ASSIGN(fusion.graph, models::buildGraph(fusion.bound));
    head.fusion = std::move(fusion);
    head.file = std::move(file);
    model.head = std::move(head);
    return {};
}

bool seesPicturesWhole(const graph::Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
        const auto* attention = std::get_if<backend::AttentionParams>(&node.params);
        return attention && attention->mask == backend::Mask::Picture;
    });
}

/// The model with places for pictures, where it has a vision file.
Status openSight(OpenedModel& model, const VisionChoice& vision) {
    model.sight.reset();
    if (vision.path.empty()) return {};
    Sight sight{vision.path, vision.bytes, model.bound, {}, false};
    sight.bound.definition = model.bound.definition->withPictures();
    INGLE_TRY_ASSIGN(sight.graph, models::buildGraph(sight.bound));
    sight.readsWhole = seesPicturesWhole(sight.graph);
    model.sight = std::move(sight);
    return {};
}

/// Bytes of the files that a load leaves on the disk, by address, each once.
std::vector<std::span<const std::byte>> leftOnDisk(const OpenedModel& model) {
    auto left = model.file.readOnce();
    std::ranges::copy(tablesOfRows(model), std::back_inserter(left));
    std::ranges::copy(unusedTensors(model), std::back_inserter(left));
    std::ranges::sort(left, {}, &std::span<const std::byte>::data);
    const std::byte* end = nullptr;
    std::erase_if(left, [&](std::span<const std::byte> bytes) {
        const bool overlaps = bytes.data() < end;
        if (!overlaps) end = bytes.data() + bytes.size();
        return overlaps;
    });
    return left;
}

/// What a head takes beside weights that are the model's own, while one answer guesses from it.
uint64_t headBytes(const PredictionHead& head, const LoadOptions& options) {
    uint64_t bytes =
        backend::sequenceBytes(head.bound.definition->memory(), options.kv, PredictionHead::kContext) +
        processorProgramBytes(lowerHead(head.graph, options), options);
    if (head.fusion) bytes += processorProgramBytes(lowerHead(head.fusion->graph, options), options);
    if (head.file) bytes += head.file->fileBytes();
    return bytes;
}

ModelShape shapeOf(const OpenedModel& model, const LoadOptions& options) {
    uint64_t weightBytes = model.file.fileBytes() + model.file.expandedBytes();
    for (const auto bytes : leftOnDisk(model)) weightBytes -= bytes.size();
    ModelShape shape{.weightBytes = weightBytes,
                     .memory = model.bound.definition->memory(),
                     .trainedContext = model.bound.facts().trainedContext,
                     .thinks = model.prompts->thinks()};
    const uint32_t context = options.contextTokens > 0 ? options.contextTokens : longestContext(shape);
    const backend::Plan plan =
        lowerModel(model, options, Model::stepTokens(model.bound.facts(), context), Model::kStepLogits);
    shape.workBytes = kProgramBytes + kBytesPerToken * model.file.tokenizer.tokens.size() +
                      processorProgramBytes(plan, options);
    if (model.head) shape.workBytes += headBytes(*model.head, options);
    const uint64_t smaller = importer::bytesAs(kSmallerQuant, model.file);
    if (static_cast<double>(smaller) < kWorthAnImport * static_cast<double>(shape.weightBytes))
        shape.smallerBytes = smaller;
    return shape;
}

/// Chooses the context where none was asked for, and says what that takes.
void estimate(OpenedModel& model, const LoadOptions& options) {
    const auto system = knownSystemMemory();
    const bool chosen = options.contextTokens == 0;
    model.setContext(chosen ? chooseContext(model.shape, options.kv, system) : options.contextTokens);
    const uint32_t context = model.contextTokens;
    MemoryEstimate& memory = model.info.memory;
    memory =
        estimateMemory(model.shape, options.kv, context,
                       poolLimits(model.shape, options.kv, context, Model::kMostContexts, system), system);
    const bool isShort =
        context > 0 && context < std::min(usualContext(model.shape), model.shape.trainedContext);
    if (chosen && isShort && memory.fits())
        model.info.contextNote =
            fmt::format("The conversation may be {} tokens long, less than usual: {} of memory are free.",
                        context, sizeText(memory.availableBytes));
}

void describe(OpenedModel& model) {
    const formats::ModelFile& file = model.file;
    const models::ModelFacts& facts = model.bound.facts();
    ModelInfo& info = model.info;
    info.path = file.path;
    info.name = shown(file.metadata.stringOr("general.name", "").value_or(""));
    if (info.name.empty()) info.name = shown(std::filesystem::path(file.path).stem().string());
    info.format = file.format;
    info.family = facts.arch;
    info.fileBytes = file.fileBytes();
    info.weightBytes = model.bound.weights.totalBytes();
    for (const auto& [name, tensor] : file.tensors) {
        info.numParameters += tensor.shape.numElems();
        info.quantBytes[std::string(tensor.format->name)] += tensor.bytes();
    }
    info.numLayers = facts.numLayers;
    info.dim = facts.dim;
    info.vocabSize = facts.vocabSize;
    info.trainedContext = facts.trainedContext;
    info.tokenizer = file.tokenizer.model.empty() ? "none" : file.tokenizer.model;
    info.promptFormat = facts.isClassifier ? "scores" : facts.pooling ? "none" : model.prompts->name();
    if (!facts.pooling) info.promptNote = model.prompts->fallbackReason();
    info.chatTemplate = model.file.tokenizer.chatTemplate;
}

/// Reads one byte of each page, so that the first answer does not wait for the disk. Skipped for what memory
/// could not keep anyway, and for what is left on the disk.
void warm(const OpenedModel& model, const ProgressFn& progress) {
    constexpr size_t kPage = 4096;
    constexpr size_t kReportEvery = size_t{64} << 20;
    const formats::ModelFile& file = model.file;
    if (!model.info.memory.fits()) return;
    volatile std::byte sink{};
    const std::vector<std::span<const std::byte>> skipped = leftOnDisk(model);
    for (const auto table : tablesOfRows(model)) io::MappedFile::readAhead(table);
    uint64_t before = 0;  // bytes of the parts already read
    for (const auto& mapping : file.mappings) {
        const auto bytes = mapping->bytes();
        auto skip = std::ranges::lower_bound(skipped, bytes.data(), {}, &std::span<const std::byte>::data);
        for (size_t at = 0; at < bytes.size(); at += kPage) {
            const std::byte* page = bytes.data() + at;
            while (skip != skipped.end() && skip->data() + skip->size() <= page) ++skip;
            if (skip == skipped.end() || page < skip->data()) sink = *page;
            if (progress && at % kReportEvery == 0) {
                progress(static_cast<double>(before + at) / static_cast<double>(file.fileBytes()),
                         "reading the model");
            }
        }
        before += bytes.size();
    }
    (void)sink;
}

}  // namespace

namespace {

Result<std::unique_ptr<OpenedModel>> open(const io::Source& source, const LoadOptions& options) {
    auto model = std::make_unique<OpenedModel>();
    INGLE_TRY_ASSIGN(model->file, formats::openModelFile(source));
    if (auto refusal = formats::refusalOf(model->file)) return tl::unexpected(*std::move(refusal));
    for (const auto& [key, value] : options.overrides) INGLE_TRY(model->file.metadata.override_(key, value));
    INGLE_TRY(bind(*model, options.contextTokens));
    model->head = findHead(*model);
    if (!options.draft.empty()) {
        const Status taken = takeDraftHead(*model, options.draft, options.contextTokens);
        if (!taken) return withId<ErrorId::DraftUnfit>(tl::unexpected(taken.error()), options.draft);
    }
    INGLE_TRY_ASSIGN(model->tokenizer, tokenizer::createTokenizer(model->file.tokenizer));
    model->prompts = chat::PromptRenderer::create(model->file);
    describe(*model);
    INGLE_TRY_ASSIGN(VisionChoice vision, chooseVisionFile(model->file, *model->bound.definition, options));
    model->shape = shapeOf(*model, options);
    model->shape.weightBytes += vision.bytes;
    model->info.smallerBytes = model->shape.smallerBytes;
    if (model->info.smallerBytes > 0) model->info.smallerQuant = kSmallerQuant;
    estimate(*model, options);
    if (vision.bytes > 0 && !model->info.memory.fits() && options.visionFile.empty()) {
        // A model that fits is not refused for what lies beside it.
        model->shape.weightBytes -= vision.bytes;
        vision.path.clear();
        estimate(*model, options);
    }
    if (model->bound.facts().forLongContext && options.contextTokens == 0) {
        // Memory may have made conversations shorter than those it is for.
        INGLE_TRY(bind(*model, model->contextTokens));
    }
    INGLE_TRY(openSight(*model, vision));
    model->info.seesPictures = model->sight.has_value();
    model->info.visionFile = vision.path;
    if (!model->sight) model->info.visionTrouble = std::move(vision.trouble);
    if (vision.fitting.size() > 1 || !model->sight) model->info.visionFiles = std::move(vision.fitting);
    return model;
}

}  // namespace

Result<std::unique_ptr<OpenedModel>> openModel(const io::Source& source, const LoadOptions& options) {
    auto model = open(source, options);
    if (!model) return tl::unexpected(formats::inWords(std::move(model).error(), source.path()));
    return model;
}

Result<std::unique_ptr<Model>> Model::load(const io::Source& source, const LoadOptions& options,
                                           const ProgressFn& progress, DeviceFactory device,
                                           DeviceCheck check) {
    std::unique_ptr<Model> model(new Model);
    model->m_options = options;
    INGLE_TRY_ASSIGN(model->m_opened, openModel(source, options));
    warm(*model->m_opened, progress);
    INGLE_TRY_ASSIGN(model->m_placement, Placement::create(*model->m_opened, model->m_options,
                                                           std::move(device), std::move(check)));
    return model;
}

}  // namespace ingle::session
