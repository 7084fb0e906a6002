/// The real `ingle` as people and scripts run it: output, exit codes, one-line errors.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

struct Outcome {
    int exitCode;
    std::string out;
    std::string err;
};

class CommandLine : public testing::Test {
  protected:
    /// `command` goes to the shell behind the path of `ingle`; an own data directory keeps the real library
    /// out.
    Outcome ingle(const std::string& command, const std::string& before = "") {
        const std::string errors = m_folder.file("stderr");
        const std::string line = before + " XDG_DATA_HOME=" + m_folder.path().string() +
                                 " XDG_CACHE_HOME=" + m_folder.file("cache") + " INGLE_GUIDE=" + m_guide +
                                 " " INGLE_BIN_DIR "/ingle " + command + " 2>" + errors;
        Outcome outcome;
        std::FILE* pipe = popen(line.c_str(), "r");
        std::array<char, 4096> buffer;
        while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
            outcome.out.append(buffer.data(), count);
        }
        outcome.exitCode = WEXITSTATUS(pclose(pipe));
        outcome.err = test::readBytes(errors);
        return outcome;
    }

    std::string synth(const std::string& options = "--family llama") {
        const std::string path = m_folder.file("model.gguf");
        const Outcome outcome = ingle("synth " + options + " -o " + path);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return path;
    }

    static void expectOneSentence(const Outcome& outcome, const std::string& mentions) {
        EXPECT_EQ(outcome.exitCode, 1);
        EXPECT_TRUE(outcome.err.starts_with("ingle: ")) << outcome.err;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
        EXPECT_NE(outcome.err.find(mentions), std::string::npos) << outcome.err;
    }

    test::TemporaryFolder m_folder;
    std::string m_guide;  ///< of the programs that are started
};

TEST_F(CommandLine, wrongUsageExitsWithTwo) {
    EXPECT_EQ(ingle("").exitCode, 2);
    EXPECT_EQ(ingle("dance").exitCode, 2);
    EXPECT_EQ(ingle("generate").exitCode, 2);
    EXPECT_EQ(ingle("run x -p y --temp warm").exitCode, 2);
    EXPECT_EQ(ingle("run x -p y --temp nan").exitCode, 2);
    EXPECT_EQ(ingle("run x -p y --top-p 1.5").exitCode, 2);
    EXPECT_EQ(ingle("run x -p y --kv f64").exitCode, 2);
    EXPECT_EQ(ingle("--help").exitCode, 0);
    const Outcome none = ingle("embed x --dimensions 0");
    EXPECT_EQ(none.exitCode, 2);
    EXPECT_NE(none.err.find("1 to 65536"), std::string::npos) << none.err;
}

TEST_F(CommandLine, generatePrintsExactlyNIdsAndNeverStops) {
    const std::string model = synth();
    const Outcome outcome = ingle("generate " + model + " --tokens 1,2,3 -n 32 --greedy");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.out, ' '), 31);
    EXPECT_EQ(ingle("generate " + model + " --tokens 1,2,3 -n 32 --greedy").out, outcome.out);
}

TEST_F(CommandLine, logitsHasARowPerToken) {
    const std::string model = synth();
    const std::string out = m_folder.file("logits");
    ASSERT_EQ(ingle("logits " + model + " --tokens 5,6,7,8 --out " + out).exitCode, 0);
    const std::vector<float> whole = test::readFloats(out);
    EXPECT_EQ(whole.size(), 4u * 320u);
    ASSERT_EQ(ingle("logits " + model + " --tokens 5,6,7,8 --chunk 1 --out " + out).exitCode, 0);
    EXPECT_EQ(test::readFloats(out), whole);
    EXPECT_EQ(ingle("logits " + model + " --tokens 5 --out /dev/full").exitCode, 1);
}

TEST_F(CommandLine, tokenizeReadsExactBytes) {
    const std::string model = synth();
    EXPECT_EQ(ingle("tokenize " + model + " --jsonl", "printf '\"ab\"\\n\"\"\\n' |").exitCode, 0);
    const Outcome outcome = ingle("tokenize " + model + " --add-special", "printf 'hi\\n' |");
    EXPECT_TRUE(outcome.out.starts_with("1 ")) << outcome.out;
    // The newline is a byte token: 3 + 10.
    EXPECT_TRUE(outcome.out.ends_with(" 13\n")) << outcome.out;
    expectOneSentence(ingle("tokenize " + model + " --jsonl", "echo 'not json' |"), "not json");
}

TEST_F(CommandLine, detokenizeGivesTheExactBytesBack) {
    const std::string model = synth();
    // The tokens of bytes begin at id 3.
    EXPECT_EQ(ingle("detokenize " + model, "echo '107 108 13 258' |").out, "hi\n\377");
    EXPECT_EQ(ingle("detokenize " + model, "echo '70, 71\n' |").out,
              ingle("detokenize " + model, "echo '70 71' |").out);
    EXPECT_EQ(ingle("detokenize " + model + " --jsonl", "printf '[13]\\n[]\\n' |").out, "\"\\n\"\n\"\"\n");
    expectOneSentence(ingle("detokenize " + model, "echo 'one' |"), "one");
    expectOneSentence(ingle("detokenize " + model, "echo '99999999' |"), "99999999");
    expectOneSentence(ingle("detokenize " + model + " --jsonl", "echo '[1.5]' |"), "[1.5]");
    expectOneSentence(ingle("detokenize " + model + " --jsonl", "echo '[-3]' |"), "vocabulary");
}

/// A terminal in place of standard output: `script` of util-linux, which is on every Debian.
TEST_F(CommandLine, aModelsTextCannotCommandATerminal) {
    const std::string model = synth();
    // ESC ] 0 ; x BEL: sets the title of a terminal's window.
    const std::string ids = "30 96 51 62 123 10";
    EXPECT_EQ(ingle("detokenize " + model, "echo '" + ids + "' |").out, "\x1b]0;x\a");
    const std::string command = "\"echo '" + ids + "' | " INGLE_BIN_DIR "/ingle detokenize " + model + "\"";
    std::string shownText;
    std::FILE* pipe = popen(("script -qec " + command + " /dev/null").c_str(), "r");
    std::array<char, 4096> buffer;
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        shownText.append(buffer.data(), count);
    pclose(pipe);
    EXPECT_EQ(shownText, "\\x1b]0;x\\x07");
}

TEST_F(CommandLine, doctorNamesEachThingAndARemedy) {
    const Outcome fine = ingle("doctor");
    for (const char* what :
         {"memory: ", "processor: ", "graphics: ", "network: the kernel refuses internet sockets",
          "cage: ", "window: ", "history: ", "cache: ", "fonts: ", "desktop portal: "})
        EXPECT_NE(fine.out.find(what), std::string::npos) << what << fine.out;
    EXPECT_EQ(fine.exitCode, 0) << fine.out;
    EXPECT_EQ(fine.out.find("BAD"), std::string::npos) << fine.out;
    // A file where the folder for conversations should be.
    std::ofstream(m_folder.path() / "inglenook-file") << "x";
    const Outcome broken = ingle("doctor", "INGLE_DATA_DIR=" + m_folder.file("inglenook-file"));
    EXPECT_EQ(broken.exitCode, 1);
    EXPECT_NE(broken.out.find("BAD   history: " + m_folder.file("inglenook-file") + " cannot be written"),
              std::string::npos)
        << broken.out;
    EXPECT_NE(broken.out.find("chown"), std::string::npos) << broken.out;
}

TEST_F(CommandLine, reportHoldsNothingPersonal) {
    const std::string model = m_folder.file("my secret name.gguf");
    ASSERT_EQ(ingle("synth --family llama -o '" + model + "'").exitCode, 0);
    const Outcome outcome = ingle("report '" + model + "' --backend cpu");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    for (const char* part : {"system      ", "processor   ", "model       ",
                             "self-check  fast and plain kernels agree", "writes ", "perplexity  "})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << outcome.out;
    EXPECT_EQ(outcome.out.find("secret"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find(m_folder.path().string()), std::string::npos) << outcome.out;
    expectOneSentence(ingle("report /no/such/model"), "/no/such/model");
}

TEST_F(CommandLine, templatePrintsThePromptExactly) {
    const std::string path = m_folder.file("chat.jinja");
    std::ofstream(path)
        << "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
           "{{ strftime_now('%d %b %Y') }}{% if not messages %}{{ raise_exception('empty') }}{% endif %}"
           "{% if tools is none and add_generation_prompt %}>{% endif %}\n";
    const std::string messages = m_folder.file("messages.json");
    const std::string object = R"({"messages": [{"role": "user", "content": "Hi"}], "bos_token": "<s>",)"
                               R"( "add_generation_prompt": true, "now": "2025-07-26T12:34:56"})";
    std::ofstream(messages) << object << "\n"
                            << R"({"messages": []})"
                            << "\n";
    const Outcome lines = ingle("template " + path + " --messages " + messages + " --jsonl");
    EXPECT_EQ(lines.exitCode, 0) << lines.err;
    EXPECT_EQ(lines.out, "{\"text\":\"<s>[user]Hi26 Jul 2025>\"}\n{\"error\":\"empty\"}\n");
    std::ofstream(messages) << object;
    EXPECT_EQ(ingle("template " + path + " --messages " + messages).out, "<s>[user]Hi26 Jul 2025>");
    std::ofstream(messages) << R"({"messages": []})";
    expectOneSentence(ingle("template " + path + " --messages " + messages), "empty");
    std::ofstream(messages) << R"({"messages": [], "now": "yesterday"})";
    expectOneSentence(ingle("template " + path + " --messages " + messages), "yesterday");
    std::ofstream(messages) << "[]";
    expectOneSentence(ingle("template " + path + " --messages " + messages), "messages");
    expectOneSentence(ingle("template " + path + " --messages " + m_folder.file("none.json")), "none.json");
    expectOneSentence(ingle("template " + synth() + " --messages " + messages), "no chat template");
    std::ofstream(path) << "\n{% if %}";
    expectOneSentence(ingle("template " + path + " --messages " + messages), "line 2");
}

TEST_F(CommandLine, inspectTellsWhatTheFileHolds) {
    const auto json =
        nlohmann::json::parse(ingle("inspect " + synth("--family qwen2 --quant Q8_0") + " --json").out);
    EXPECT_EQ(json["family"], "qwen2");
    EXPECT_EQ(json["layers"], 2);
    EXPECT_EQ(json["tokenizer"], "llama");
    EXPECT_GT(json["quant_bytes"]["Q8_0"].get<uint64_t>(), 0u);
    EXPECT_GT(json["memory_need_bytes"].get<uint64_t>(), json["weight_bytes"].get<uint64_t>());
}

TEST_F(CommandLine, inspectSaysFirstWhatItIs) {
    const Outcome published = ingle("inspect " + synth("--family llama --quant F16"));
    EXPECT_NE(published.out.find(", as published (F16): "), std::string::npos) << published.out;
    EXPECT_LT(published.out.find(", as published (F16): "), published.out.find('\n'));
    EXPECT_NE(published.out.find(" --quant Q4_K_M\n"), std::string::npos) << published.out;
    const auto json =
        nlohmann::json::parse(ingle("inspect " + synth("--family llama --quant Q4_0") + " --json").out);
    EXPECT_EQ(json["kind"], "quantised");
}

/// Every command that takes a model says what it was given instead, in words before all details.
TEST_F(CommandLine, whatIsNoModelIsSaidInWords) {
    const std::string model = synth();
    const auto write = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(m_folder.file(name), std::ios::binary) << bytes;
        return m_folder.file(name);
    };
    const std::string whole = test::readBytes(model);
    const std::pair<std::string, std::string> cases[] = {
        {write("page.gguf", "<!doctype html>"), "a web page, not the model"},
        {write("pointer.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n"),
         "a pointer of Git LFS, not the model"},
        {write("cut.gguf", whole.substr(0, whole.size() - 1000)), "only 81 kB of 82 kB arrived: "},
        {write("m.zip", std::string("PK\5\6") + std::string(18, '\0')), "an archive, "},
        {write("m.onnx", "\x08\x07\x12"), "an ONNX model, "},
    };
    for (const auto& [path, words] : cases) {
        for (const std::string& command :
             {"inspect " + path, "run " + path + " -p x", "chat " + path,
              "import " + path + " -o " + m_folder.file("out.gguf"), "tokenize " + path}) {
            SCOPED_TRACE(command);
            const Outcome outcome = ingle(command, "echo |");
            expectOneSentence(outcome, words);
            EXPECT_TRUE(outcome.err.starts_with("ingle: " + path + ": " + words)) << outcome.err;
        }
    }
}

TEST_F(CommandLine, benchMeasuresWhatItsKeysSay) {
    const std::string model = synth();
    for (const char* sequences : {"1", "3"}) {
        const Outcome outcome = ingle("bench " + model + " -p 40 -n 8 -t 2 --json --sequences " + sequences);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        const auto json = nlohmann::ordered_json::parse(outcome.out);
        const std::vector<std::string> keys{"prefill_tok_s", "decode_tok_s", "first_token_ms",
                                            "decode_gb_s",   "read_gb_s",    "prefill_gmac_s",
                                            "peak_gmac_s",   "peak_rss_mb",  "peak_anon_mb"};
        std::vector<std::string> found;
        for (const auto& [key, value] : json.items()) {
            found.push_back(key);
            EXPECT_GT(value.get<double>(), 0) << key;
        }
        EXPECT_EQ(found, keys);
        EXPECT_LT(json["prefill_gmac_s"].get<double>(), json["peak_gmac_s"].get<double>());
        EXPECT_LT(json["peak_anon_mb"].get<double>(), json["peak_rss_mb"].get<double>());
    }
    const Outcome profile = ingle("bench " + model + " -p 8 -n 8 --profile");
    EXPECT_NE(profile.out.find("linear"), std::string::npos) << profile.out;
    const Outcome kernels = ingle("bench " + model + " -p 8 -n 8 --kernels");
    for (const char* part : {"kernels: ", " GB/s (", " GMAC/s (", "100 % ", "an op ", " us, when"})
        EXPECT_NE(kernels.out.find(part), std::string::npos) << part << kernels.out;
    const Outcome guessing = ingle("bench " + model + " -p 8 -n 24 --json --right-guesses 0.5 --depth 100");
    const auto json = nlohmann::json::parse(guessing.out);
    EXPECT_GT(json["guessing_tok_s"].get<double>(), 0);
    EXPECT_GT(json["guessing_ratio"].get<double>(), 0);
    EXPECT_EQ(ingle("bench " + model + " --right-guesses 1.5").exitCode, 2);
    EXPECT_EQ(ingle("bench " + model + " -p 0").exitCode, 2);
    expectOneSentence(ingle("bench " + model + " -p 100 --ctx 16"), "context");
}

TEST_F(CommandLine, benchComparesBuilds) {
    const std::string model = synth();
    const std::string folder = INGLE_BIN_DIR;
    const std::string words = "bench " + model + " -p 16 -n 4 -t 1 --compare " + folder;
    const Outcome outcome = ingle(words + " --pairs 3 --json");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["pairs"], 3);
    for (const char* figure : {"prefill_tok_s", "decode_tok_s"}) {
        const auto& row = json[figure];
        EXPECT_GT(row["this"].get<double>(), 0);
        EXPECT_GT(row["other"].get<double>(), 0);
        EXPECT_LE(row["ratio_low"].get<double>(), row["ratio"].get<double>());
        EXPECT_LE(row["ratio"].get<double>(), row["ratio_high"].get<double>());
    }
    const Outcome text = ingle(words + " --pairs=1");
    EXPECT_NE(text.out.find(" times ("), std::string::npos) << text.out;
    expectOneSentence(ingle("bench " + model + " --compare /nonexistent"), "no program");
}

TEST_F(CommandLine, generateThatCannotGiveEveryIdFails) {
    const Outcome outcome = ingle("generate " + synth() + " --tokens 1,2,3 -n 100 --ctx 64 --greedy");
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_NE(outcome.err.find("context of 64"), std::string::npos) << outcome.err;
}

TEST_F(CommandLine, traceNamesValuesAndComparesWithADump) {
    const std::string model = synth();
    EXPECT_NE(ingle("trace " + model + " --tokens 1,2,3").out.find("blk.0.attn_norm"), std::string::npos);
    const std::string dump = m_folder.file("dump");
    EXPECT_EQ(ingle("trace " + model + " --tokens 1,2,3 --dump " + dump).exitCode, 0);
    const Outcome same = ingle("trace " + model + " --tokens 1,2,3 --compare " + dump);
    EXPECT_EQ(same.exitCode, 0) << same.err;
    EXPECT_NE(same.out.find("max |difference| 0 "), std::string::npos) << same.out;
    expectOneSentence(ingle("trace " + model + " --tokens 1,2,3 --compare nowhere"), "nowhere");
    expectOneSentence(ingle("trace " + model + " --tokens 1,2,3 --compare cpu,vulkan"), "Vulkan");
}

TEST_F(CommandLine, perplexityNeedsATextOfAWindow) {
    const std::string model = synth();
    std::ofstream(m_folder.file("text")) << std::string(400, 'x');
    const Outcome outcome = ingle("perplexity " + model + " --window 32 --file " + m_folder.file("text"));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("perplexity ")) << outcome.out;
    expectOneSentence(ingle("perplexity " + model + " --file nowhere"), "nowhere");
}

TEST_F(CommandLine, aWindowThatPredictsNothingIsRefused) {
    const std::string model = synth();
    const std::string text = m_folder.file("text");
    std::ofstream(text) << std::string(400, 'x');
    const std::string target = m_folder.file("sums.gguf");
    for (const std::string& command : {"perplexity " + model, "imatrix " + model + " -o " + target}) {
        for (const char* window : {"0", "1", "2"}) {
            const Outcome outcome = ingle(command + " --file " + text + " --window " + window);
            EXPECT_EQ(outcome.exitCode, 2) << command;
            EXPECT_NE(outcome.err.find("--window"), std::string::npos) << outcome.err;
        }
        EXPECT_EQ(ingle(command + " --file " + text + " --window 3").exitCode, 0) << command;
    }
}

TEST_F(CommandLine, aFolderIsNoText) {
    const std::string model = synth();
    const std::string target = m_folder.file("sums.gguf");
    for (const std::string& command : {"perplexity " + model, "imatrix " + model + " -o " + target})
        expectOneSentence(ingle(command + " --file " + m_folder.path().string()),
                          m_folder.path().string() + " is a folder");
    EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(CommandLine, runAnswersWithinTheLimit) {
    const std::string model = synth();
    const Outcome outcome = ingle("run " + model + " -p 'Hello' -n 5 --seed 4");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(ingle("run " + model + " -p 'Hello' -n 5 --seed 4").out, outcome.out);
}

TEST_F(CommandLine, guessesChangeNoAnswer) {
    const std::string model = synth();
    const std::string draft = m_folder.file("draft.gguf");
    ASSERT_EQ(ingle("synth --family rwkv7 -o " + draft).exitCode, 0);
    const std::string run = "run " + model + " -p 'Hello' -n 60 --temp 0 --stats --backend cpu";
    const Outcome off = ingle(run + " --guesses off");
    EXPECT_EQ(off.exitCode, 0) << off.err;
    EXPECT_NE(off.err.find("guesses       0 of which 0 were right"), std::string::npos) << off.err;
    EXPECT_NE(off.err.find("answer       60 tokens"), std::string::npos) << off.err;
    for (const std::string& guesses :
         {std::string(), std::string(" --guesses look-up"), " --draft " + draft}) {
        const Outcome outcome = ingle(run + guesses);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.out, off.out) << guesses;
    }
    const Outcome drafted = ingle(run + " --draft " + draft);
    EXPECT_EQ(drafted.err.find("guesses       0"), std::string::npos) << drafted.err;
    EXPECT_EQ(ingle(run + " --guesses wildly").exitCode, 2);
    expectOneSentence(ingle("run " + model + " -p 'Hello' --guesses draft"), "none was loaded");
    ASSERT_EQ(ingle("synth --family llama --vocab 400 -o " + draft).exitCode, 0);
    expectOneSentence(ingle(run + " --draft " + draft), draft + ": a draft model needs the vocabulary");
}

TEST_F(CommandLine, chatAnswersEachLineOfItsInput) {
    const Outcome outcome = ingle("chat " + synth() + " --temp 0 --ctx 64", "printf 'a\\n\\nb\\n' |");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_GE(std::ranges::count(outcome.out, '\n'), 2);
}

TEST_F(CommandLine, chatWithoutAModelUsesTheGuideWhileTheLibraryIsEmpty) {
    expectOneSentence(ingle("chat"), "library holds none");
    m_guide = synth();
    const Outcome outcome = ingle("chat --temp 0 --ctx 64", "printf 'a\\n' |");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out, "");
    // It is still the guide where Inglenook has been moved to.
    std::filesystem::rename(m_guide, m_folder.file("moved.gguf"));
    m_guide = m_folder.file("moved.gguf");
    EXPECT_EQ(ingle("chat --temp 0 --ctx 64", "printf 'a\\n' |").out, outcome.out);
}

TEST_F(CommandLine, aDeviceThatCannotBeUsedIsReplacedAndSaidSo) {
    const std::string model = synth();
    const std::string generate = "generate " + model + " --tokens 1,2,3 -n 4 --greedy";
    const Outcome plain = ingle(generate);
    EXPECT_EQ(plain.err, "");
    const Outcome outcome = ingle(generate + " --device nowhere");
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.out, plain.out);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("so the processor computes"), std::string::npos) << outcome.err;
    EXPECT_EQ(ingle(generate + " --device nowhere --backend cpu").err, "");
}

TEST_F(CommandLine, failuresAreOneSentenceThatNamesTheCause) {
    const std::string model = synth();
    expectOneSentence(ingle("inspect /nowhere/model.gguf"), "/nowhere/model.gguf");
    expectOneSentence(ingle("inspect " INGLE_SOURCE_DIR "/LICENSE"), "LICENSE");
    expectOneSentence(ingle("generate " + model + " --tokens 1,x -n 1"), "\"x\"");
    expectOneSentence(ingle("generate " + model + " --tokens 1,320 -n 1"), "320");
    expectOneSentence(ingle("generate " + model + " --tokens 1 -n 1 --backend vulkan"), "Vulkan");
    expectOneSentence(ingle("generate " + model + " --tokens 1 -n 1 --set block_count=two"), "two");
    expectOneSentence(ingle("generate " + model + " --tokens 1 -n 1", "INGLE_ISA=mmx"), "mmx");
    expectOneSentence(ingle("synth --family llama --layers 100000000 -o " + m_folder.file("x")), "100000000");
    expectOneSentence(ingle("synth --family martian -o " + m_folder.file("x")), "martian");
    expectOneSentence(ingle("synth --family llama --quant Q9_9 -o " + m_folder.file("x")), "Q9_9");
}

TEST_F(CommandLine, aFullDiskUnderStandardOutputIsOneSentence) {
    const std::string model = synth();
    // Each well beyond a buffer of the C library, and the second must not go on to its 100,000th id.
    expectOneSentence(ingle("tokenize " + model + " >/dev/full", "seq 1 20000 |"), "standard output");
    expectOneSentence(ingle("generate " + model + " --tokens 1 -n 100000 --ctx 200000 >/dev/full"),
                      "standard output");
    expectOneSentence(ingle("run " + model + " -p hello -n 3 >/dev/full"), "standard output");
    expectOneSentence(ingle("inspect " + model + " >/dev/full"), "standard output");
}

TEST_F(CommandLine, aModelThatShrinksUnderneathIsOneSentence) {
    const std::string model = synth("--family llama --layers 8 --dim 256");
    const std::string words = m_folder.file("words");
    const std::string ids = m_folder.file("ids");
    // Once it writes, the model is in use.
    const Outcome outcome = ingle("generate " + model + " --tokens 1 -n 100000 --ctx 200000 >" + ids + " 2>" +
                                  words + " & while kill -0 $! && ! test -s " + ids +
                                  "; do sleep 0.05; done; : > " + model + "; wait $!");
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(test::readBytes(words), "ingle: the model file changed while it was in use\n");
}

/// A command that may use a graphics device is two processes.
TEST_F(CommandLine, whatEndsACommandEndsBothItsProcesses) {
    const std::string words = m_folder.file("words");
    const std::string command = "generate " + synth() + " --tokens 1 -n 100000 --ctx 200000 >/dev/null 2>" +
                                words +
                                " & while copy=$(cat /proc/$!/task/$!/children) && test -z \"$copy\";"
                                " do sleep 0.05; done; test -n \"$copy\" || exit 99; kill -";
    const auto statusAfter = [&](const std::string& signal) {
        return ingle(command + signal +
                     " $!; wait $!; status=$?; for i in $(seq 600); do"
                     " grep -qs '^State:.[RSD]' /proc/$copy/status || exit $status; sleep 0.1; done; exit 98")
            .exitCode;
    };
    EXPECT_EQ(statusAfter("TERM"), 128 + SIGTERM);
    EXPECT_EQ(statusAfter("HUP"), 128 + SIGHUP);
    EXPECT_EQ(statusAfter("KILL"), 128 + SIGKILL);
}

TEST_F(CommandLine, whatThisVersionDoesNotKnowIsNamed) {
    // The same file with one word changed: family, tokenizer, version, block type.
    const std::string original = test::readBytes(synth());
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string bytes = original;
        bytes.replace(bytes.find(from), from.size(), to);
        const std::string path = m_folder.file("changed.gguf");
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    };
    using namespace std::string_literals;
    const auto counted = [](const std::string& text) {
        return std::string(1, static_cast<char>(text.size())) + "\0\0\0\0\0\0\0"s + text;
    };
    const std::string archKey = "general.architecture"s + "\x08\0\0\0"s;
    expectOneSentence(ingle("inspect " + changed(archKey + counted("llama"), archKey + counted("xlama"))),
                      "\"xlama\"");
    const std::string tokenizerKey = "tokenizer.ggml.model"s + "\x08\0\0\0"s;
    expectOneSentence(
        ingle("inspect " + changed(tokenizerKey + counted("llama"), tokenizerKey + counted("lemma"))),
        "lemma");
    expectOneSentence(ingle("inspect " + changed("GGUF\x03"s, "GGUF\x09"s)), "9");
    // token_embd.weight: two dimensions, then type 2 (Q4_0); 43 is no type.
    std::string bytes = original;
    const size_t type = bytes.find("token_embd.weight") + 17 + 4 + 2 * 8;
    ASSERT_EQ(bytes[type], 2);
    bytes[type] = 43;
    const std::string path = m_folder.file("type.gguf");
    std::ofstream(path, std::ios::binary) << bytes;
    expectOneSentence(ingle("inspect " + path), "43");
}

TEST_F(CommandLine, importWritesAQuantisedModel) {
    const std::string source = synth("--family rwkv7");
    const std::string target = m_folder.file("small.gguf");
    const Outcome done = ingle("import " + source + " -o " + target + " --quant Q8_0");
    EXPECT_EQ(done.exitCode, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find("100 %"), std::string::npos) << done.err;
    EXPECT_EQ(ingle("generate " + target + " --tokens 1,2,3 -n 2").exitCode, 0);
    expectOneSentence(ingle("import " + source + " -o " + source), "is the source itself");
    expectOneSentence(ingle("import " + source + " -o " + target + " --quant Q9"), "Q4_K_M");
    const Outcome empty = ingle("import " + source + " -o " + target + " --quant ''");
    EXPECT_EQ(empty.exitCode, 2);
    EXPECT_NE(empty.err.find("Q4_K_M"), std::string::npos) << empty.err;
    expectOneSentence(ingle("import " + source + " -o " + target + " --tensor-type attn_w=Q8_0"), "attn_w");
    expectOneSentence(ingle("import " + source + " -o /nowhere/at/all.gguf"), "/nowhere/at/all.gguf");
}

TEST_F(CommandLine, anInterruptedImportLeavesNothing) {
    const std::string source = synth("--family llama --dim 512 --ffn 2048 --layers 24 --quant F32");
    const std::string target = m_folder.file("small.gguf");
    // The shell would start a background job with SIGINT ignored; `timeout` sends it to a foreground one.
    const Outcome stopped = ingle("import " + source + " -o " + target + " --quant Q4_K_M --threads 1",
                                  "timeout --foreground -s INT 0.3 env");
    expectOneSentence({stopped.exitCode == 124 ? 1 : stopped.exitCode, "",
                       stopped.err.substr(stopped.err.rfind("ingle: "))},
                      "was stopped");
    EXPECT_FALSE(std::filesystem::exists(target));
    EXPECT_EQ(std::ranges::count_if(
                  std::filesystem::directory_iterator(m_folder.path()),
                  [](const auto& entry) { return entry.path().string().find("small") != std::string::npos; }),
              0);
}

TEST_F(CommandLine, ctrlCEndsImatrixAtOnceAlsoWhileItLoads) {
    const std::string model = synth("--family llama --dim 512 --ffn 2048 --layers 24 --quant F32");
    const std::string text = m_folder.file("text");
    std::ofstream(text) << std::string(200'000, 'x');
    const std::string target = m_folder.file("sums.gguf");
    for (const char* seconds : {"0.1", "1"}) {
        const Outcome stopped =
            ingle("imatrix " + model + " --threads 1 --file " + text + " -o " + target,
                  std::string("timeout --foreground --preserve-status -s INT ") + seconds + " env");
        EXPECT_EQ(stopped.exitCode, 128 + SIGINT) << seconds << stopped.err;
        EXPECT_FALSE(std::filesystem::exists(target));
    }
}

TEST_F(CommandLine, devicesNamesTheProcessorFirst) {
    const Outcome outcome = ingle("devices");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    const std::string first = outcome.out.substr(0, outcome.out.find('\n'));
    EXPECT_NE(first.find(" · processor · "), std::string::npos) << outcome.out;
    EXPECT_NE(first.find(" GiB · "), std::string::npos) << outcome.out;
    // Software is for those who ask for it by name.
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" · software · ") != std::string::npos) {
            EXPECT_TRUE(line.ends_with(" · only by name")) << line;
        }
    }
    EXPECT_TRUE(std::filesystem::exists(m_folder.file("cache/inglenook/graphics/drivers")));
}

TEST_F(CommandLine, withoutADriverThereIsTheProcessor) {
    const std::string noDriver = "VK_DRIVER_FILES=/nowhere.json";
    const Outcome outcome = ingle("devices", noDriver);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2) << outcome.out;
    EXPECT_NE(outcome.out.find(" · used automatically\nNo graphics device is used: "), std::string::npos)
        << outcome.out;
    const std::string model = synth();
    const std::string generate = "generate " + model + " --tokens 1,2 -n 2";
    const Outcome automatic = ingle(generate, noDriver);
    EXPECT_EQ(automatic.exitCode, 0);
    EXPECT_EQ(automatic.err, "");  // nobody misses what is not there
    const Outcome named = ingle(generate + " --device Radeon", noDriver);
    EXPECT_EQ(named.exitCode, 0);
    EXPECT_NE(named.err.find("so the processor computes: "), std::string::npos) << named.err;
    EXPECT_EQ(named.out, automatic.out);
    EXPECT_EQ(ingle(generate + " --backend vulkan", noDriver).exitCode, 1);
    EXPECT_EQ(ingle(generate + " --backend cpu --device Radeon", noDriver).err, "");
}

TEST_F(CommandLine, aDeviceThatIsNotThereIsNamed) {
    const std::string generate = "generate " + synth() + " --tokens 1 -n 1 --device Nonesuch";
    EXPECT_EQ(ingle(generate).exitCode, 0);
    expectOneSentence(ingle(generate + " --backend vulkan"), "");
}

TEST_F(CommandLine, dequantDecodesRawBlocks) {
    std::ofstream(m_folder.file("raw"), std::ios::binary) << std::string(34, '\1');
    const std::string options = " --in " + m_folder.file("raw") + " --out " + m_folder.file("floats");
    EXPECT_EQ(ingle("dequant --type Q8_0" + options).exitCode, 0);
    EXPECT_EQ(test::readFloats(m_folder.file("floats")).size(), 32u);
    expectOneSentence(ingle("dequant --type Q4_K" + options), "whole blocks");
    expectOneSentence(ingle("dequant --type Q4_X" + options), "is not known");
}

}  // namespace
}  // namespace ingle::cli
