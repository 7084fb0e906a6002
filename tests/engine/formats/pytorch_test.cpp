/// PyTorch's files: tensors are read where they lie, and a pickle that wants anything else is refused by
/// name.
#include <gmock/gmock.h>

#include <algorithm>

#include "engine/formats/kind.h"
#include "tests/engine/formats/sample_pickles.h"
#include "tests/opened.h"

namespace ingle::formats {
namespace {

using test::ByteString;
using test::FolderTensors;
using test::PickleForm;
using testing::HasSubstr;

Result<ModelFile> openPyTorch(const test::FolderFiles& files, const test::TemporaryFolder& folder) {
    test::writeFolder(files, folder);
    return openModelFile(test::opened(folder.path().string()));
}

TEST(PyTorch, holdsTheSameTensorsAsSafetensors) {
    const test::TemporaryFolder folders[3];
    const auto expected = openPyTorch(test::mixtralFolder(), folders[0]);
    ASSERT_TRUE(expected.has_value());
    size_t number = 1;
    for (const PickleForm form : {PickleForm::Archive, PickleForm::Legacy}) {
        const auto model = openPyTorch(test::pytorchFolder(form), folders[number++]);
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(model->format, "PyTorch");
        ASSERT_EQ(model->tensors.size(), expected->tensors.size());
        for (const auto& [name, tensor] : model->tensors) {
            const tensor::Tensor& other = *expected->find(name);
            ASSERT_EQ(tensor.shape, other.shape) << name;
            if (tensor.data.empty()) continue;  // experts, which archives scatter
            EXPECT_EQ(io::MappedFile::isMapped(tensor.data.data()), name != "rope_freqs.weight") << name;
        }
    }
}

/// A file beside config.json whose pickle is this.
std::string refusalOf(const std::string& file) {
    test::FolderFiles files = test::mixtralFolder();
    files.erase("model.safetensors");
    files["pytorch_model.bin"] = file;
    const test::TemporaryFolder folder;
    const auto model = openPyTorch(files, folder);
    return model ? "accepted" : model.error().message;
}

TEST(PyTorch, whatRunsCodeIsRefusedByName) {
    const std::pair<std::string, std::string> cases[] = {
        {"cos\nsystem\n)R.", "it asks to run \"os system\""},
        {"c__builtin__\neval\n.", "it asks to run \"__builtin__ eval\""},
        {"ctorch\nload\n.", "it asks to run \"torch load\""},
        {"(ios\nsystem\n.", "the pickle opcode INST"},
        {"(o.", "the pickle opcode OBJ"},
        {"))\x81.", "the pickle opcode NEWOBJ"},
        {"))}\x92.", "the pickle opcode NEWOBJ_EX"},
        {"\x82\x01.", "the pickle opcode EXT1"},
        {"P1\n.", "the pickle opcode PERSID"},
        {"\x8C\x02os\x8C\x06system\x93.", "the pickle opcode STACK_GLOBAL"},
        {"\xF0.", "the pickle opcode 0xf0"},
        {"N}b.", "BUILD"},
        {"ctorch._utils\n_rebuild_tensor_v2\n)R.", "a call that makes no tensor"},
        {"ccollections\nOrderedDict\n(K\x01tR.", "a call that makes no tensor"},
    };
    for (const auto& [program, sentence] : cases)
        EXPECT_THAT(refusalOf(test::archiveOf("\x80\x02" + program)), HasSubstr(sentence));
    test::FolderFiles files = test::mixtralFolder();
    files.erase("model.safetensors");
    files["pytorch_model.bin"] = test::archiveOf("\x80\x02" + cases[0].first);
    const test::TemporaryFolder folder;
    EXPECT_THAT(formats::inWords(openPyTorch(files, folder).error(), "m").message,
                HasSubstr("it holds a program beside its numbers, and is not opened"));
}

TEST(PyTorch, whatIsWrongIsOneSentence) {
    const FolderTensors one = {{"a", {2, 3}}};
    const std::string state = test::statePickle(one, PickleForm::Archive);
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string changed = state;
        changed.replace(changed.find(from), from.size(), to);
        return test::archiveOf(changed, one);
    };
    const auto number = [](int32_t value) { return ByteString().put('J').put(value).bytes(); };
    const std::string dims = "(" + number(2) + number(3) + "t";
    const std::string strides = "(" + number(3) + number(1) + "t";
    const std::string archive = test::archiveOf(state, one);
    const std::string legacy = test::pytorchFile(one, PickleForm::Legacy);
    const std::pair<std::string, std::string> cases[] = {
        {archive, "has no use for the tensor 'a'"},  // well formed
        {legacy, "has no use for the tensor 'a'"},
        {replaced(dims, "(" + number(2) + number(4) + "t"), "end past its storage"},
        {replaced(dims, "(" + number(2147483647) + number(2147483647) + "t"), "its shape is too large"},
        {replaced(dims, "(" + number(-2) + number(3) + "t"), "a size of a tensor is no number"},
        {replaced(strides, "(" + number(1) + number(2) + "t"),
         "has no use for the tensor 'a'"},  // transposed
        {replaced(strides, "(" + number(2) + number(1) + "t"), "do not lie one behind the other"},
        {replaced("X\x01" + std::string(3, '\0') + "0", "X\x01" + std::string(3, '\0') + "7"),
         "its numbers '7' are not in the file"},
        {replaced("FloatStorage", "FakeStorage"), "numbers of the type \"FakeStorage\""},
        {replaced("u.", "."), "it holds no dictionary of tensors"},
        {test::archiveOf("\x80\x02."), "an object is missing"},
        {test::archiveOf("\x80\x02]."), "it holds no dictionary of tensors"},
        {test::archiveOf("\x80\x02}."), "it holds no dictionary of tensors"},
        {test::archiveOf("\x80\x02h\x05."), "an object that was never kept"},
        {test::archiveOf("\x80\x02t."), "a mark is missing"},
        {test::zipFile({{"word/document.xml", "<w/>"}}), "an archive, which has to be unpacked"},
        {test::zipFile({{"m/data.pkl", state}}, 8), "'m/data.pkl' is packed in the archive"},
        {test::zipFile({{"m/data.pkl", state}, {"m/byteorder", "big"}}), "begin with their highest byte"},
        {test::zipFile({{"m/data.pkl", state}, {"m/data.pkl", state}}), "names a file twice"},
        {archive.substr(0, archive.size() - 30), "has no end"},
        {legacy.substr(0, legacy.size() - 4), "end past the end of the file"},
    };
    for (const auto& [file, sentence] : cases) EXPECT_THAT(refusalOf(file), HasSubstr(sentence));
}

}  // namespace
}  // namespace ingle::formats
