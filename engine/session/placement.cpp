#include "engine/session/placement.h"

#include <algorithm>
#include <utility>

#include "engine/graph/lower.h"
#include "engine/session/model.h"

namespace ingle::session {

Result<std::unique_ptr<Place>> Place::create(std::unique_ptr<backend::Backend> backend,
                                             const OpenedModel& model, const LoadOptions& options) {
    std::unique_ptr<Place> place(new Place(model, options));
    place->m_backend = std::move(backend);
    // Each of the sequences of a step may fill the context, and one more may be kept for later. Memory is
    // taken only as they grow.
    const uint64_t maxTokens = uint64_t{model.contextTokens} * (Model::kMaxDecoding + 1);
    INGLE_TRY_ASSIGN(place->m_memory,
                     place->m_backend->createMemory(
                         model.bound.family->memory(model.bound.config),
                         {options.kv, static_cast<uint32_t>(std::min<uint64_t>(maxTokens, UINT32_MAX))}));
    INGLE_TRY_ASSIGN(place->m_program, place->compile(Model::kStepTokens, Model::kStepLogits));
    return place;
}

Result<std::unique_ptr<backend::Program>> Place::compile(uint32_t maxTokens, uint32_t maxLogitRows) {
    graph::Builder builder;
    const models::BoundModel& bound = m_model.bound;
    bound.family->build(builder, bound.config, bound.weights);
    const graph::LowerOptions options{maxTokens, maxLogitRows,
                                      m_options.fuse ? graph::Fusion::On : graph::Fusion::Off};
    return m_backend->compile(graph::lower(builder.take(), options), *m_memory);
}

Result<std::unique_ptr<Placement>> Placement::create(OpenedModel& model, const LoadOptions& options,
                                                     DeviceFactory device) {
    std::unique_ptr<Placement> placement(new Placement(model, options, std::move(device)));
    INGLE_TRY(placement->choose());
    return placement;
}

Status Placement::choose() {
    auto device = createOnDevice();
    if (device && *device) {
        moveTo(std::move(*device), State::OnDevice, {});
        return {};
    }
    if (!device && m_options.backend != BackendChoice::Auto) return tl::unexpected(device.error());
    INGLE_TRY_ASSIGN(auto processor, createOnProcessor());
    moveTo(std::move(processor), State::OnProcessor,
           device ? std::string()
                  : fmt::format("The graphics device cannot be used, so the processor computes: {}",
                                device.error().message));
    return {};
}

DeviceStatus Placement::status() const {
    return {m_model.info.device, m_model.info.deviceNote};
}

Result<std::unique_ptr<Place>> Placement::leave(const Error& error) {
    const bool deviceFailed = error.code == ErrorCode::Device || error.code == ErrorCode::OutOfMemory;
    if (m_state != State::OnDevice || !deviceFailed) return tl::unexpected(error);
    auto processor = createOnProcessor();
    if (!processor) return tl::unexpected(error);
    std::string note = fmt::format("{} failed, so the processor goes on: {}", m_place->backend().deviceName(),
                                   error.message);
    return moveTo(std::move(*processor), State::Left, std::move(note));
}

std::unique_ptr<Place> Placement::retry(const std::string& conversation) {
    if (m_state != State::Left || !m_retried.insert(conversation).second) return nullptr;
    auto device = createOnDevice();
    if (!device || !*device) return nullptr;
    return moveTo(std::move(*device), State::OnDevice, {});
}

Result<std::unique_ptr<Place>> Placement::createOnDevice() {
    INGLE_TRY_ASSIGN(auto backend, m_device(m_options));
    if (!backend) return nullptr;
    return Place::create(std::move(backend), m_model, m_options);
}

Result<std::unique_ptr<Place>> Placement::createOnProcessor() {
    INGLE_TRY_ASSIGN(auto backend, createProcessor(m_options));
    return Place::create(std::move(backend), m_model, m_options);
}

std::unique_ptr<Place> Placement::moveTo(std::unique_ptr<Place> place, State state, std::string note) {
    m_state = state;
    m_model.info.backend = place->backend().name();
    m_model.info.device = place->backend().deviceName();
    m_model.info.deviceNote = std::move(note);
    return std::exchange(m_place, std::move(place));
}

}  // namespace ingle::session
