/// A second, small model that guesses what the first one writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/conversations/speculation.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// One thread, that of the model whose answers it guesses.
class DraftModel {
  public:
    /// For answers of `model`; computes on the processor, as `options` say. Errors: as Model::load();
    /// InvalidArgument when it has another vocabulary.
    static Result<std::unique_ptr<DraftModel>> load(const std::string& path, const OpenedModel& model,
                                                    const LoadOptions& options);
    /// Of one answer, whose tokens are chosen as `sampler` says: where both models agree, so does what the
    /// same numbers of chance choose.
    std::unique_ptr<GuessSource> guesses(const SamplerParams& sampler);

  private:
    explicit DraftModel(std::unique_ptr<Model> model) : m_model(std::move(model)) {}

    const std::unique_ptr<Model> m_model;
};

/// Whether ids mean the same in both: tokens that only one of them has must be unused.
bool sameVocabulary(const formats::TokenizerData& a, const formats::TokenizerData& b);

}  // namespace ingle::session
