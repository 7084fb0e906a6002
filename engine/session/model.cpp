#include "engine/session/model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ingle::session {
namespace {

constexpr uint32_t kDefaultContext = 4096;

/// 0: no limit. A recurrent state has the same size after any number of tokens.
uint32_t contextFor(const models::ModelConfig& config, const backend::MemorySpec& memory, uint32_t wanted) {
    if (wanted > 0 || memory.kv.empty()) return wanted;
    return config.trainedContext > 0 ? std::min(config.trainedContext, kDefaultContext) : kDefaultContext;
}

/// Weights, sequence memory at this context, and step buffers (some rows of the widest layer; small beside
/// the others).
uint64_t memoryNeed(const OpenedModel& model, const backend::MemorySpec& spec, KvType kv) {
    const models::ModelConfig& config = model.bound.config;
    return model.bound.weights.totalBytes() + backend::sequenceBytes(spec, kv, model.contextTokens) +
           sizeof(float) * Model::kStepTokens * (uint64_t{4} * config.dim + uint64_t{3} * config.ffnDim);
}

void describe(OpenedModel& model, const LoadOptions& options) {
    const formats::ModelFile& file = model.file;
    const models::ModelConfig& config = model.bound.config;
    ModelInfo& info = model.info;
    info.path = file.path;
    info.name = shown(file.metadata.stringOr("general.name", "").value_or(""));
    if (info.name.empty()) info.name = shown(std::filesystem::path(file.path).stem().string());
    info.format = file.format;
    info.family = config.arch;
    info.fileBytes = file.fileBytes();
    info.weightBytes = model.bound.weights.totalBytes();
    for (const auto& [name, tensor] : file.tensors) {
        info.numParameters += tensor.shape.numElems();
        info.quantBytes[std::string(tensor.format->name)] += tensor.data.size();
    }
    info.numLayers = config.numLayers;
    info.dim = config.dim;
    info.vocabSize = config.vocabSize;
    info.trainedContext = config.trainedContext;
    info.contextTokens = model.contextTokens;
    info.tokenizer = file.tokenizer.model.empty() ? "none" : file.tokenizer.model;
    info.promptFormat = model.prompts->name();
    info.promptNote = model.prompts->fallbackReason();
    info.memoryNeedBytes = memoryNeed(model, model.bound.family->memory(config), options.kv);
}

/// Reads one byte of each page, so that the first answer does not wait for the disk. Skipped for what main
/// memory could not keep anyway.
void warm(const formats::ModelFile& file, const ProgressFn& progress) {
    constexpr size_t kPage = 4096;
    constexpr size_t kReportEvery = size_t{64} << 20;
    std::ifstream meminfo("/proc/meminfo");
    uint64_t totalKib = 0;
    meminfo.ignore(256, ':') >> totalKib;
    if (file.fileBytes() / 1024 > totalKib / 5 * 4) return;
    volatile std::byte sink{};
    uint64_t before = 0;  // bytes of the parts already read
    for (const auto& mapping : file.mappings) {
        const auto bytes = mapping->bytes();
        for (size_t at = 0; at < bytes.size(); at += kPage) {
            sink = bytes[at];
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

Result<std::unique_ptr<OpenedModel>> openModel(const std::string& path, const LoadOptions& options) {
    auto model = std::make_unique<OpenedModel>();
    INGLE_TRY_ASSIGN(model->file, formats::openModelFile(path));
    for (const auto& [key, value] : options.overrides) INGLE_TRY(model->file.metadata.override_(key, value));
    INGLE_TRY_ASSIGN(model->bound, models::bindModel(model->file));
    INGLE_TRY_ASSIGN(model->tokenizer, tokenizer::createTokenizer(model->file.tokenizer));
    model->prompts = chat::PromptRenderer::create(model->file);
    model->markTokens = chat::markTokens(model->file.tokenizer);
    model->contextTokens = contextFor(model->bound.config, model->bound.family->memory(model->bound.config),
                                      options.contextTokens);
    describe(*model, options);
    return model;
}

Result<std::unique_ptr<Model>> Model::load(const std::string& path, const LoadOptions& options,
                                           const ProgressFn& progress, DeviceFactory device,
                                           DeviceCheck check) {
    std::unique_ptr<Model> model(new Model);
    model->m_options = options;
    INGLE_TRY_ASSIGN(model->m_opened, openModel(path, options));
    warm(model->m_opened->file, progress);
    const OpenedModel& opened = *model->m_opened;
    model->m_memorySpec = opened.bound.family->memory(opened.bound.config);
    INGLE_TRY_ASSIGN(model->m_placement, Placement::create(*model->m_opened, model->m_options,
                                                           std::move(device), std::move(check)));
    return model;
}

}  // namespace ingle::session
