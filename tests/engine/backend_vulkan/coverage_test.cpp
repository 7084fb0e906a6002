/// docs/coverage.md: what runs, from the program's own tables. INGLE_WRITE_COVERAGE=1 writes it anew.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "engine/backend/op_facts.h"
#include "engine/backend/vulkan/recording/vulkan_op.h"
#include "engine/backend/vulkan/weights/weight_format.h"
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/quant/format.h"
#include "engine/vision/family.h"
#include "tests/engine/backend_vulkan/synth_model.h"

namespace ingle::backend::vulkan {
namespace {

bool hasKernel(OpCode code) {
    return std::ranges::any_of(allVulkanOps(), [&](const VulkanOpList* list) {
        return std::ranges::any_of(
            *list, [&](const VulkanOp& op) { return op.codes.size() == 1 && op.codes[0] == code; });
    });
}

std::string listed(const std::set<std::string>& names, std::string_view between = ", ") {
    std::string text;
    for (const std::string& name : names) text += fmt::format("{}`{}`", text.empty() ? "" : between, name);
    return text;
}

/// What Vulkan has no kernels for, of what a family computes; empty: nothing.
std::string missingOnDevices(std::string_view family) {
    const test::TemporaryFolder folder;
    const SynthModel model = openSynthModel(folder, {.family = std::string(family)}, 4);
    std::set<std::string> missing;
    for (const Op& op : model.plan.ops)
        if (!hasKernel(op.code)) missing.insert(std::string(opName(op.code)));
    return listed(missing);
}

std::string kindOf(const models::ModelFamily& family) {
    switch (family.kind) {
        case models::FamilyKind::Writer:
            return "writes";
        case models::FamilyKind::WholePrompt:
            return "writes, reads prompts as a whole";
        case models::FamilyKind::Encoder:
            return "rows of numbers";
    }
    return "";
}

std::string familyTable() {
    std::string text =
        "| family (`general.architecture`) | kind | folders (`architectures`) | on graphics cards |\n"
        "|---|---|---|---|\n";
    for (const models::ModelFamily* family : models::allFamilies()) {
        std::set<std::string> folders;
        for (const formats::ArchitectureGroup* group : formats::allArchitectures())
            for (const formats::Architecture& each : group->architectures)
                if (each.family == family->arch) folders.insert(std::string(each.name));
        const std::string missing = missingOnDevices(family->arch);
        text += fmt::format("| `{}` | {} | {} | {} |\n", family->arch, kindOf(*family), listed(folders),
                            missing.empty() ? "yes" : "no: " + missing);
    }
    return text;
}

std::string formatTable() {
    std::string text = "| block format | bits a weight | on graphics cards |\n|---|---|---|\n";
    for (const quant::QuantFormat* format : quant::allFormats())
        text +=
            fmt::format("| {} | {:.4g} | {} |\n", format->name, 8.0 * format->blockBytes / format->blockElems,
                        findWeightFormat(format->id) ? "yes" : "as floats");
    return text;
}

std::string report() {
    std::set<std::string> packings, towers;
    for (const formats::PackedScheme* scheme : formats::allPackedSchemes())
        packings.insert(scheme->methods.begin(), scheme->methods.end());
    for (const vision::VisionFamily* family : vision::allVisionFamilies())
        towers.insert(family->types.begin(), family->types.end());
    return "# Coverage\n\nWritten by a test from the program's own tables "
           "(`tests/engine/backend_vulkan/coverage_test.cpp`):\nnothing here is counted by hand. What is "
           "said of these in words stands in [what-runs.md](what-runs.md).\n\n## Families\n\n" +
           familyTable() + "\n## Block formats\n\nEach has kernels for AVX2, AVX-VNNI and AVX-512.\n\n" +
           formatTable() + "\n## Packed folders\n\n`quant_method`:\n" + listed(packings, ",\n") +
           ".\n\n## Vision files\n\n`clip.projector_type`:\n" + listed(towers, ",\n") + ".\n";
}

TEST(Coverage, theDocumentIsOfThisProgram) {
    const std::string path = INGLE_SOURCE_DIR "/docs/coverage.md", now = report();
    if (std::getenv("INGLE_WRITE_COVERAGE") != nullptr) std::ofstream(path) << now;
    std::ifstream file(path);
    const std::string stored{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(stored, now) << "docs/coverage.md is out of date: run this test with INGLE_WRITE_COVERAGE=1";
}

}  // namespace
}  // namespace ingle::backend::vulkan
