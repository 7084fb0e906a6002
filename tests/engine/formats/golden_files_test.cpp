#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "engine/formats/model_file.h"
#include "tests/golden.h"
#include "tests/opened.h"

namespace ingle::formats {
namespace {

TEST(GoldenFiles, openOrSayInOneSentenceWhyNot) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    size_t opened = 0;
    std::set<std::string> reasons;
    const auto groups = test::readJson(test::goldenRoot() / "manifest.json")["groups"];
    for (const char* group : {"models", "quant", "rwkv", "llama2c"}) {
        for (const auto& entry : groups[group]) {
            if (entry.value("model", nlohmann::json()).is_null()) continue;  // logits only
            const auto file = entry["model"].get<std::string>();
            const auto model = openModelFile(test::opened(test::goldenRoot() / file));
            if (!model) {
                EXPECT_EQ(model.error().code, ErrorCode::Unsupported) << model.error().message;
                reasons.insert(model.error().message.substr(model.error().message.find(file)));
                continue;
            }
            ++opened;
            EXPECT_FALSE(model->tensors.empty()) << file;
            EXPECT_TRUE(model->metadata.string("general.architecture").has_value()) << file;
            const auto* embedding = model->find("token_embd.weight");
            ASSERT_NE(embedding, nullptr) << file;
            EXPECT_EQ(embedding->shape.dims[1], entry["shape"][1].get<uint64_t>()) << file;
        }
    }
    EXPECT_GE(opened, 50U);
    std::cout << opened << " golden model files opened; not yet:\n";
    for (const std::string& reason : reasons) std::cout << "  " << reason << "\n";
}

}  // namespace
}  // namespace ingle::formats
