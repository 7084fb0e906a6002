/// A family's tiny model with random weights, as a plan.
#pragma once

#include <gtest/gtest.h>

#include "engine/graph/lower.h"
#include "engine/lab/synth.h"
#include "engine/session/loading/model.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {

struct SynthModel {
    std::unique_ptr<session::OpenedModel> file;
    Plan plan;
    MemorySpec memory;
};

/// For steps of up to `maxRows` rows, with the logits of each.
inline SynthModel openSynthModel(const test::TemporaryFolder& folder, const lab::SynthOptions& options,
                                 uint32_t maxRows) {
    const std::string path = folder.file("model.gguf");
    const Status written = lab::writeSynthModel(options, path);
    EXPECT_TRUE(written) << written.error().message;
    auto opened = session::openModel(test::opened(path), {});
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return {};
    const models::BoundModel& bound = (*opened)->bound;
    SynthModel model;
    model.plan = graph::lower((*opened)->graph, {.maxTokens = maxRows, .maxLogitRows = maxRows});
    model.memory = bound.definition->memory();
    model.file = std::move(*opened);
    return model;
}

}  // namespace ingle::backend::vulkan
