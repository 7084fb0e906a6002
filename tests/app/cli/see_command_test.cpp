/// `ingle see` and `ingle logits --mmproj` as people run them, with the files of ../shared/golden/vision.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

class SeeCommand : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(golden(""))) GTEST_SKIP() << "no golden vectors in " << golden("");
    }
    static std::string golden(const std::string& name) { return test::goldenRoot() / "vision" / name; }

    /// The exit code; what was written is in the files "out" and "err".
    int run(const std::string& arguments) const {
        const std::string command = "XDG_DATA_HOME=" + m_folder.path().string() +
                                    " " INGLE_BIN_DIR "/ingle " + arguments + " >" + m_folder.file("out") +
                                    " 2>" + m_folder.file("err");
        return WEXITSTATUS(std::system(command.c_str()));
    }
    std::string err() const { return test::readBytes(m_folder.file("err")); }
    void expectRows(const std::string& file, const std::string& expected, double most) const {
        const auto ours = test::readFloats(m_folder.file(file));
        const auto theirs = test::readFloats(golden(expected));
        ASSERT_EQ(ours.size(), theirs.size());
        for (size_t i = 0; i < ours.size(); ++i) ASSERT_LE(std::abs(ours[i] - theirs[i]), most) << i;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(SeeCommand, writesRowsPixelsAndSizes) {
    ASSERT_EQ(
        run("see " + golden("pixtral.mmproj.gguf") + " --image " + golden("shapes.png") +
            " --image-tokens 2:7 --rows " + m_folder.file("rows") + " --pixels " + m_folder.file("pixels")),
        0)
        << err();
    expectRows("rows", "pixtral-few.embd.bin", 5e-5);
    EXPECT_EQ(test::readBytes(m_folder.file("pixels")), test::readBytes(golden("pixtral-few.pixels.u8")));
    const auto answer = test::readJson(m_folder.file("out"));
    EXPECT_EQ(answer["rowWidth"], 32);
    const auto& image = answer["images"].at(0);
    EXPECT_EQ(image["width"], 150);
    EXPECT_EQ(image["tokens"], 5);
    EXPECT_EQ(image["after"], "[IMG_END]");
    const nlohmann::json tile{{"before", ""}, {"width", 56}, {"height", 56}, {"grid", {2, 2}}, {"tokens", 5}};
    EXPECT_EQ(image["tiles"].at(0), tile);
}

TEST_F(SeeCommand, aKeyChoosesTheOtherActivation) {
    const std::string command = "see " + golden("gemma4v.mmproj.gguf") + " --image " + golden("shapes.png") +
                                " --image-tokens 6:20 --rows " + m_folder.file("rows");
    ASSERT_EQ(run(command + " --set use_gelu=false"), 0) << err();
    expectRows("rows", "gemma4v-shapes.embd.bin", 5e-5);
    const auto quick = test::readFloats(m_folder.file("rows"));
    ASSERT_EQ(run(command), 0) << err();
    EXPECT_NE(test::readFloats(m_folder.file("rows")), quick);
}

TEST_F(SeeCommand, aPromptWithPicturesHasLogitsOfItsText) {
    ASSERT_EQ(run("logits " + golden("text-qwen3vl.gguf") + " --mmproj " + golden("qwen3vl.mmproj.gguf") +
                  " --prompt 'see <__media__> tell' --image " + golden("shapes.png") +
                  " --kv f32 --activations f32 --backend cpu --out " + m_folder.file("logits")),
              0)
        << err();
    expectRows("logits", "qwen3vl-shapes.logits.bin", 2e-4);
}

/// A line of `ingle chat` shows a picture, and the next one asks about it: as with `ingle run --image`.
TEST_F(SeeCommand, chatShowsPictures) {
    for (const char* name : {"text-gemma3.gguf", "gemma3.mmproj.gguf"})
        std::filesystem::copy_file(golden(name), m_folder.file(name));
    const std::string picture = m_folder.file("my picture.png");
    std::filesystem::copy_file(golden("shapes.png"), picture);
    const std::string model = m_folder.file("text-gemma3.gguf") + " --temp 0 --ctx 256 --backend cpu";
    const auto out = [this] { return test::readBytes(m_folder.file("out")); };
    ASSERT_EQ(run("run " + model + " -p What --image '" + picture + "'"), 0) << err();
    const std::string expected = out();
    const auto chat = [&](const std::string& lines) {
        std::ofstream(m_folder.file("lines")) << lines;
        return run("chat " + model + " <" + m_folder.file("lines"));
    };
    ASSERT_EQ(chat("/image '" + picture + "'\nWhat\n"), 0) << err();
    EXPECT_EQ(out(), expected);
    ASSERT_EQ(chat("What\n"), 0) << err();
    EXPECT_NE(out(), expected);
    // What is no picture, or nothing that the model can see, is one sentence.
    EXPECT_EQ(chat("/image " + m_folder.file("missing.png") + "\nWhat\n"), 1);
    EXPECT_NE(err().find("missing.png: "), std::string::npos) << err();
    std::filesystem::remove(m_folder.file("gemma3.mmproj.gguf"));
    EXPECT_EQ(chat("/image " + picture + "\nWhat\n"), 1);
    EXPECT_NE(err().find("cannot see pictures"), std::string::npos) << err();
}

TEST_F(SeeCommand, whatDoesNotFitIsOneSentence) {
    const std::string out = " --rows " + m_folder.file("rows");
    const auto complaintOf = [&](const std::string& arguments) {
        EXPECT_EQ(run(arguments), 1) << arguments;
        EXPECT_EQ(std::ranges::count(err(), '\n'), 1) << err();
        return err();
    };
    const std::string gemma = golden("gemma3.mmproj.gguf"), image = " --image " + golden("shapes.png");
    EXPECT_NE(complaintOf("see " + gemma + " --image " + gemma + out).find("This is no picture"),
              std::string::npos);
    EXPECT_NE(complaintOf("see " + golden("text-gemma3.gguf") + image + out).find("no vision file"),
              std::string::npos);
    EXPECT_NE(complaintOf("see " + gemma + image + out + " --image-tokens 4").find("no MIN:MAX"),
              std::string::npos);
    EXPECT_NE(complaintOf("see " + gemma + image + out + " --set projector_type=other").find("\"other\""),
              std::string::npos);
    const std::string logits = " --out " + m_folder.file("logits");
    EXPECT_NE(complaintOf("logits " + golden("text-qwen2vl.gguf") + " --mmproj " + gemma +
                          " --prompt 'a <__media__>'" + image + logits)
                  .find("belongs to another model"),
              std::string::npos);
    EXPECT_NE(complaintOf("logits " + golden("text-gemma3.gguf") + " --mmproj " + gemma +
                          " --prompt 'no mark'" + image + logits)
                  .find("1 pictures, and 0 marks"),
              std::string::npos);
    EXPECT_NE(complaintOf("logits " + golden("text-gemma3.gguf") + logits).find("--tokens or --prompt"),
              std::string::npos);
}

}  // namespace
}  // namespace ingle::cli
