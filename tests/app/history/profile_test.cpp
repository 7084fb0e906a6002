/// Layers of values: how they lie over each other, are stored, travel with conversations and go for good.
#include <gmock/gmock.h>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/chats/profile.h"
#include "app/history/trash/trash.h"
#include "app/history/turns.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using testing::ElementsAre;

Profile everything() {
    return {.systemPrompt = "Be \"brief\".\n",
            .temperature = 0.25,
            .topK = 7,
            .topP = 0.5,
            .minP = 0,
            .repeatPenalty = 1.5,
            .maxTokens = 99,
            .contextTokens = 2048,
            .whenFull = WhenFull::Refuse,
            .thinking = Thinking::Off,
            .form = AnswerForm{AnswerForm::Kind::JsonSchema, R"({"type":"integer"})"},
            .chatTemplate = "{{ messages }}"};
}

TEST(Profile, WhatALayerSetsLiesOverWhatIsBelow) {
    const Profile below{.systemPrompt = "Be brief.", .temperature = 1, .topK = 3};
    const Profile above{.temperature = 0.5, .form = AnswerForm{}};
    EXPECT_EQ(layered(below, above),
              (Profile{.systemPrompt = "Be brief.", .temperature = 0.5, .topK = 3, .form = AnswerForm{}}));
    EXPECT_EQ(layered(below, {}), below);
    EXPECT_EQ(layered({}, everything()), everything());
}

TEST(Profile, EveryFieldComesBackFromItsText) {
    EXPECT_EQ(profileFromJson(profileJson(everything())), everything());
    EXPECT_EQ(profileJson({}), "{}");
    // A text that forgets a field cannot be told from one that has it by the comparison alone.
    const Profile all = everything();
    forEachField([](const char* name, const auto& field) { EXPECT_TRUE(field) << name; }, all);
}

TEST(Profile, WhatIsDamagedIsNotSet) {
    for (const char* text : {"", "no JSON", "[1]", R"({"temperature":"warm","topK":-1,"topP":null})",
                             R"({"whenFull":"explode","form":{"kind":"poem","text":"x"},"maxTokens":1e30})",
                             R"({"form":"json_schema","systemPrompt":7})"})
        EXPECT_EQ(profileFromJson(text), Profile{}) << text;
}

TEST(Profile, SetsSamplerAndTerms) {
    SamplerParams sampler;
    sampler.seed = 5;
    const SamplerParams set = samplerOf(everything(), sampler);
    EXPECT_EQ(set.temperature, 0.25F);
    EXPECT_EQ(set.topK, 7);
    EXPECT_EQ(set.topP, 0.5F);
    EXPECT_EQ(set.minP, 0);
    EXPECT_EQ(set.repeatPenalty, 1.5F);
    EXPECT_EQ(set.seed, 5u);
    EXPECT_EQ(samplerOf({}, sampler), sampler);
    EXPECT_EQ(termsOf({}), AnswerTerms{});
    EXPECT_EQ(termsOf(everything()).form, *everything().form);
}

class Profiles : public HistoryFixture {
  protected:
    void SetUp() override {
        HistoryFixture::SetUp();
        ask();
    }
    Turn asked(RowId conversation, RowId parent, const Profile& usual = {}) {
        return valueOf(history::ask(*m_history, {conversation, "Title", parent, said("What is it?")},
                                    {"model", "Model", {}, usual}));
    }
    Profile of(RowId conversation) { return valueOf(conversationProfile(*m_history, conversation)); }
    int count() { return sqlite().execAndGet("SELECT count(*) FROM profiles").getInt(); }
};

TEST_F(Profiles, OfAConversationLieOverItsFolders) {
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    ASSERT_TRUE(setFolderProfile(*m_history, folder, {.systemPrompt = "Be kind.", .temperature = 1}));
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{m_conversation}, folder));
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, {.temperature = 0.5}));
    reopen();
    const Profile both{.systemPrompt = "Be kind.", .temperature = 0.5};
    EXPECT_EQ(valueOf(profileOf(*m_history, m_conversation)), both);
    EXPECT_EQ(valueOf(readTurn(*m_history, m_conversation, 0)).profile, both);
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, everything()));
    EXPECT_EQ(of(m_conversation), everything());
    EXPECT_EQ(count(), 1);
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, {}));
    EXPECT_EQ(of(m_conversation), Profile{});
    EXPECT_EQ(count(), 0);
    EXPECT_FALSE(setConversationProfile(*m_history, 12345, {}));
    EXPECT_FALSE(setConversationProfile(*m_history, 12345, everything()));
}

TEST_F(Profiles, OfANewConversationAreItsOwnOnceItBegins) {
    ASSERT_TRUE(setConversationProfile(*m_history, 0, everything()));
    EXPECT_EQ(of(0), everything());
    const Turn turn = asked(0, 0);
    EXPECT_EQ(turn.branch.back().receipt.terms, termsOf(everything()));
    EXPECT_EQ(turn.branch.back().sampler.topK, 7);
    EXPECT_EQ(of(turn.conversation.id), everything());
    EXPECT_EQ(of(0), Profile{}) << "the next one is a new one";
}

TEST_F(Profiles, ThatAreSharedStayWithTheOthers) {
    const Turn other = asked(0, 0);
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, everything()));
    sqlite().exec("UPDATE conversations SET profile_id = (SELECT id FROM profiles)");
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, {.topK = 1}));
    EXPECT_EQ(of(other.conversation.id), everything());
    EXPECT_EQ(of(m_conversation), Profile{.topK = 1});
}

TEST_F(Profiles, TravelWithABranchAndGoForGoodWithTheConversation) {
    ASSERT_TRUE(setConversationProfile(*m_history, m_conversation, everything()));
    const RowId copy = valueOf(copyBranch(*m_history, m_question));
    EXPECT_EQ(of(copy), everything());
    EXPECT_EQ(count(), 2);
    ASSERT_TRUE(trashConversation(*m_history, copy));
    shred();
    EXPECT_EQ(count(), 1);
}

TEST_F(Profiles, AnAnswerIsContinuedOnTheTermsThatItBeganWith) {
    const AnswerTerms terms = termsOf(everything());
    const Turn turn = asked(0, 0, everything());
    ASSERT_TRUE(appendAnswer(*m_history, turn.leaf, piece("4"), {7}, ""));
    reopen();  // it was cut off
    const Turn again = valueOf(resume(*m_history, turn.conversation.id, turn.leaf));
    const GenerateRequest request = promptOf(again, {.systemPrompt = "Something else."}).request;
    EXPECT_EQ(request.messages.front(), textMessage(Role::System, terms.systemPrompt));
    EXPECT_EQ(request.maxTokens, 99u);
    EXPECT_EQ(request.whenFull, WhenFull::Refuse);
    EXPECT_EQ(request.jsonSchema, terms.form.text);
    EXPECT_EQ(request.grammar, "");
    EXPECT_THAT(request.resumeIds, ElementsAre(7));
}

TEST_F(Profiles, PinnedMessagesAreNotToBeDropped) {
    const Turn turn = asked(0, 0, {.systemPrompt = "Be brief."});
    ASSERT_TRUE(finishAnswer(*m_history, turn.leaf, {.pieces = piece("It is.")}));
    ASSERT_TRUE(setMessagePinned(*m_history, turn.branch.front().id, true));
    const Turn next = asked(turn.conversation.id, turn.leaf, {.systemPrompt = "Be brief."});
    EXPECT_THAT(promptOf(next, {}).request.pinned, ElementsAre(0u, 1u));
    const Turn without = asked(turn.conversation.id, turn.leaf);
    EXPECT_THAT(promptOf(without, {}).request.pinned, ElementsAre(0u));
}

TEST_F(Profiles, WhatComesNextIsReadAsIfItHadBeenAsked) {
    const Turn first = asked(0, 0);
    ASSERT_TRUE(finishAnswer(*m_history, first.leaf, {.pieces = piece("It is.")}));
    const Turn next =
        valueOf(readNext(*m_history, first.conversation.id, first.leaf, said("And then?"), "model"));
    const Prompt looked = promptOf(next, {.systemPrompt = "Be brief."});
    const Turn really =
        valueOf(history::ask(*m_history, {first.conversation.id, "", first.leaf, said("And then?")},
                             {"model", "Model", {}, {.systemPrompt = "Be brief."}}));
    EXPECT_EQ(looked.request.messages, promptOf(really, {}).request.messages);
    EXPECT_EQ(looked.messages.back(), 0) << "it has not been asked";
    // Of a conversation that is still to begin.
    const Turn fresh = valueOf(readNext(*m_history, 0, 0, {}, "model"));
    EXPECT_EQ(promptOf(fresh, {}).request.messages.size(), 1u);
}

}  // namespace
}  // namespace ingle::history
