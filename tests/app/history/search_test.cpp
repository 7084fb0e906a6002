#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/text/snippet.h"
#include "app/history/text/text_folding.h"
#include "app/history/text/word_finder.h"
#include "app/history/trash/trash.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using namespace std::string_literals;

class Search : public HistoryFixture {
  protected:
    /// Adds a message and returns its id.
    RowId say(const std::string& text) {
        return valueOf(addUserMessage(*m_history, m_conversation, 0, said(text)));
    }
    std::vector<RowId> found(const std::string& query, int limit = 10) {
        std::vector<RowId> ids;
        for (const SearchHit& hit : valueOf(search(*m_history, query, limit))) ids.push_back(hit.message);
        return ids;
    }
    void SetUp() override {
        HistoryFixture::SetUp();
        m_conversation = valueOf(createConversation(*m_history, "Der Titel 標題", "model"));
    }
};

TEST_F(Search, FindsWordsInAnyOrderAndTheOneBeingTyped) {
    const RowId id = say("The quick brown fox, said Zoë.");
    for (const char* query :
         {"quick brown", "QUICK", "zoe", "ZOË", "brown quick", "fox the", "quic", "brown qu", "zo", "q",
          "fox said", "quick -- fox", "  quick  ", "quick ", "\"quick brown\"", "\"brown fox\" qui"}) {
        EXPECT_THAT(found(query), testing::ElementsAre(id)) << query;
    }
    // A whole word where a space follows or quotes stand; and every word.
    for (const char* query : {"quic ", "quic fox", "\"quic\"", "\"brown quick\"", "quick cat", "uick"}) {
        EXPECT_THAT(found(query), testing::IsEmpty()) << query;
    }
}

TEST_F(Search, ALongHistoryWantsMoreLettersOfABeginning) {
    const RowId id = say("quick");
    sqlite().exec("PRAGMA foreign_keys = OFF");
    sqlite().exec(fmt::format("UPDATE messages SET id = 20000 WHERE id = {}", id));
    sqlite().exec(fmt::format("UPDATE search_index SET rowid = 20000 WHERE rowid = {}", id));
    EXPECT_THAT(found("qu"), testing::IsEmpty());
    EXPECT_THAT(found("qui"), testing::ElementsAre(20000));
    EXPECT_THAT(found("quick"), testing::ElementsAre(20000));
}

/// One cuts and folds texts for the search and for what the window marks.
TEST_F(Search, WordsStandWhereTheIndexFindsThem) {
    struct Case {
        const char* text;
        const char* query;
        const char* marked;  ///< of the last word; null: it is not there
    };
    for (const auto& [text, query, marked] : std::vector<Case>{
             {"we restart art in", "ART", "art"},
             {"tiếng Việt", "viet", "Việt"},
             {"Der Straße Ende", "straße", "Straße"},
             {"Der Straße Ende", "strasse", nullptr},
             {"ΟΔΟΣ οδός", "οδοσ", "ΟΔΟΣ"},
             {"x 한국어 y", "한국", "한국"},
             {"x 한국어 y", "국한", nullptr},
             {"日本語の文", "本語", "本語"},
             {"well-known fact", "well-known", "well-known"},
             {"known well", "\"well known\"", nullptr},
             {"a quick fox", "qui", "quick"},
             {"a quick fox", "qui ", nullptr},
             {"control\x01led words", "led", "led"},
             {"naïve café", "cafe\u0301", "café"},
         }) {
        const RowId id = say(text);
        const auto places = WordFinder(query).in(text);
        ASSERT_FALSE(places.empty()) << query;
        const auto hits = found(query);
        EXPECT_EQ(std::ranges::find(hits, id) != hits.end(), marked != nullptr) << text << ": " << query;
        ASSERT_EQ(places.back().has_value(), marked != nullptr) << text << ": " << query;
        if (marked == nullptr) continue;
        const auto [begin, end] = *places.back();
        EXPECT_EQ(std::string(text).substr(begin, end - begin), marked) << query;
    }
    EXPECT_TRUE(WordFinder("… --").in("anything").empty());
}

TEST_F(Search, EveryWordIsMarkedWhereverItStands) {
    struct Case {
        const char* text;
        const char* query;
        std::vector<std::string> marked;
    };
    for (const auto& [text, query, marked] : std::vector<Case>{
             {"a fox, a quick fox", "fox quick", {"fox", "quick", "fox"}},
             {"restart art, ART Artist", "art", {"art", "ART", "Artist"}},
             {"restart art, ART Artist", "art ", {"art", "ART"}},
             {"well known, known well-known", "\"well known\"", {"well known", "well-known"}},
             {"tiếng Việt, 日本語 日本", "viet 日本", {"Việt", "日本", "日本"}},
             {"a a a", "\"a a\"", {"a a a"}},
             {"nothing", "else", {}},
         }) {
        std::vector<std::string> found;
        for (const auto& [begin, end] : WordFinder(query).everywhereIn(text))
            found.push_back(std::string(text).substr(begin, end - begin));
        EXPECT_EQ(found, marked) << text << ": " << query;
    }
}

TEST_F(Search, AllBranchesOfOneConversationAreFound) {
    const RowId first = say("the needle is here");
    const RowId other = say("no such thing");
    const RowId branch =
        valueOf(addUserMessage(*m_history, m_conversation, first, said("Needles, two of them")));
    const RowId second = valueOf(addUserMessage(*m_history, m_conversation, first, said("another needle")));
    std::exchange(m_conversation, valueOf(createConversation(*m_history, "", "model")));
    const RowId elsewhere = say("a needle in another conversation");
    const RowId conversation = valueOf(message(*m_history, first)).conversation;
    EXPECT_THAT(valueOf(findIn(*m_history, conversation, "needle")),
                testing::ElementsAre(first, branch, second));
    EXPECT_THAT(valueOf(findIn(*m_history, conversation, "needle ")), testing::ElementsAre(first, second));
    EXPECT_THAT(valueOf(findIn(*m_history, m_conversation, "needle")), testing::ElementsAre(elsewhere));
    EXPECT_THAT(valueOf(findIn(*m_history, conversation, "thing no")), testing::ElementsAre(other));
    EXPECT_TRUE(valueOf(findIn(*m_history, conversation, " ")).empty());
    valueOf(trashMessage(*m_history, branch));
    EXPECT_THAT(valueOf(findIn(*m_history, conversation, "needles")), testing::IsEmpty());
}

TEST_F(Search, NewestFirstTitlesBeforeMessages) {
    const RowId first = say("number one");
    const RowId second = say("number two");
    EXPECT_THAT(found("number"), testing::ElementsAre(second, first));
    const RowId named = std::exchange(m_conversation, valueOf(createConversation(*m_history, "", "model")));
    const RowId elsewhere = say("number three");
    ASSERT_TRUE(renameConversation(*m_history, named, "numbers"));
    // The title and the newest message of its conversation are one hit.
    EXPECT_THAT(found("number"), testing::ElementsAre(second, elsewhere, first));
    EXPECT_THAT(found("numbers"), testing::ElementsAre(0));
}

TEST_F(Search, OtherBranchesAreFound) {
    const RowId first = say("the first wording");
    const RowId second = say("another wording");
    EXPECT_EQ(valueOf(history::branch(*m_history, m_conversation, 0)).back().id, second);
    EXPECT_THAT(found("first"), testing::ElementsAre(first));
}

TEST_F(Search, ThoughtsAndSourcesAreFound) {
    const RowId id = valueOf(
        addUserMessage(*m_history, m_conversation, 0,
                       {{PartKind::Thought, "pondering", ""}, {PartKind::Source, "a passage", "book"}}));
    EXPECT_THAT(found("pondering"), testing::ElementsAre(id));
    EXPECT_THAT(found("passage pond"), testing::ElementsAre(id));
}

TEST_F(Search, TheSnippetShowsTheHit) {
    std::string filler, chinese;
    for (int i = 0; i < 3000; ++i) filler += i % 40 == 0 ? "filling\n" : "filling ";
    for (int i = 0; i < 2000; ++i) chinese += "今天天氣很好";
    const std::string longWord(5000, 'x');
    for (const auto& [text, query] : std::vector<std::pair<std::string, std::string>>{
             {filler + "a needle in it " + filler, "needle"},
             {filler + "a needle", "needle"},
             {"needle " + filler, "needle"},
             {chinese + "針" + chinese, "針"},
             {filler + "filling needle " + filler + " pin needle " + filler, "needle pin"},
             {longWord + " needle " + longWord, "needle"},
             {filler + "\"needle\"", "\"needle\""}}) {
        say(text);
        const auto hits = valueOf(search(*m_history, query, 1));
        ASSERT_EQ(hits.size(), 1u) << query;
        const std::string& snippet = hits[0].snippet;
        const size_t mark = snippet.find('\x01');
        ASSERT_NE(mark, std::string::npos) << snippet;
        EXPECT_LE(mark, 60u) << snippet;
        EXPECT_LE(snippet.size(), 500u) << snippet;
        EXPECT_EQ(std::count(snippet.begin(), snippet.end(), '\x01'),
                  std::count(snippet.begin(), snippet.end(), '\x02'));
        EXPECT_EQ(snippet.find('\n'), std::string::npos);
        if (query == "needle pin") {
            EXPECT_THAT(snippet, testing::HasSubstr("\x01pin\x02 \x01needle\x02"));
        }
    }
}

TEST_F(Search, CanBeInterrupted) {
    for (int i = 0; i < 50; ++i) say("some text");
    const auto reader = valueOf(openReader(m_path));
    std::atomic<bool> over = false;
    std::thread other([&] {
        while (!over) reader->interrupt();
    });
    ErrorCode code = ErrorCode::Io;
    // An interruption between two statements has nothing to end.
    for (int round = 0; round < 100'000 && code != ErrorCode::Cancelled; ++round) {
        const auto hits = search(*reader, "some", 50);
        if (!hits) code = hits.error().code;
    }
    over = true;
    other.join();
    EXPECT_EQ(code, ErrorCode::Cancelled);
    EXPECT_EQ(valueOf(search(*reader, "some", 50)).size(), 50u);
}

TEST_F(Search, FindsOneAndTwoCjkCharacters) {
    const RowId chinese = say("今天天氣很好 today");
    const RowId japanese = say("日本語のテキスト");
    const RowId korean = say("안녕하세요 여러분");
    EXPECT_THAT(found("天"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("氣 天"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("今天 tod"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("天氣"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("氣天"), testing::IsEmpty());
    EXPECT_THAT(found("今天天氣很好"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("好 today"), testing::ElementsAre(chinese));
    EXPECT_THAT(found("語の"), testing::ElementsAre(japanese));
    EXPECT_THAT(found("テ"), testing::ElementsAre(japanese));
    EXPECT_THAT(found("녕하"), testing::ElementsAre(korean));
}

TEST_F(Search, TitlesAreFoundAndFollowARename) {
    EXPECT_THAT(found("titel"), testing::ElementsAre(0));
    EXPECT_EQ(valueOf(search(*m_history, "標題", 1))[0].conversation, m_conversation);
    ASSERT_TRUE(renameConversation(*m_history, m_conversation, "Neuer Name"));
    EXPECT_THAT(found("titel"), testing::IsEmpty());
    EXPECT_EQ(valueOf(search(*m_history, "neuer name", 1))[0].title, "Neuer Name");
}

TEST_F(Search, EveryCharacterOfAQueryIsLiteral) {
    const RowId id = say("he said \"hello\" AND (left) NEAR* the end; x:y -not- ^a");
    for (const char* query : {"\"hello\"", "said \"hello\"", "AND", "(left)", "NEAR*", "x:y", "-not-", "^a",
                              "hello\" AND (left)", "folded"}) {
        const bool literal = std::string(query) != "folded";
        EXPECT_EQ(found(query), literal ? std::vector<RowId>{id} : std::vector<RowId>{}) << query;
    }
    for (const std::string& query :
         {""s, "\""s, "***"s, "..."s, "' OR 1=1 --"s, "\0"s, "\x1f"s, "\xFF\xFE"s}) {
        EXPECT_THAT(found(query), testing::IsEmpty()) << query;
    }
}

TEST_F(Search, TextAfterANulByteIsFoundAndSnippetsMarkTheMatch) {
    const RowId id = say("before\0after 漢字表 "s + "\x01tail");
    EXPECT_THAT(found("after"), testing::ElementsAre(id));
    EXPECT_THAT(found("tail"), testing::ElementsAre(id));
    EXPECT_EQ(valueOf(search(*m_history, "漢字", 1))[0].snippet, "before after \x01漢字\x02表  tail");
}

TEST_F(Search, AnswersAreFoundOnceTheyEnded) {
    m_question = say("question");
    const RowId id = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("unusual "), {1}, ""));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("words"), {2}, ""));
    EXPECT_THAT(found("unusual words"), testing::IsEmpty());
    reopen();
    EXPECT_THAT(found("unusual words"), testing::ElementsAre(id)) << "interrupted";
    ASSERT_TRUE(resumeAnswer(*m_history, id));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece(" follow"), {3}, ""));
    EXPECT_THAT(found("unusual words"), testing::IsEmpty());
    ASSERT_TRUE(finishAnswer(*m_history, id, {}));
    EXPECT_THAT(found("words follow"), testing::ElementsAre(id));
}

TEST_F(Search, LimitsTheNumberOfHits) {
    for (int i = 0; i < 20; ++i) say(fmt::format("number {}", i));
    EXPECT_EQ(found("number", 7).size(), 7u);
    EXPECT_EQ(found("number", 0).size(), 0u);
    EXPECT_EQ(found("number", -1).size(), 0u);
}

TEST(TextFolding, SeparatesCjkAndCanBeUndone) {
    EXPECT_EQ(foldForSearch("plain text"), "plain text");
    EXPECT_EQ(foldForSearch("a漢字b"), "a\x1f漢\x1f字\x1f"s + "b");
    EXPECT_EQ(foldForSearch("𠀀"), "𠀀");
    EXPECT_EQ(snippetAround(foldForSearch("a漢字b 日本 한국")), "a漢字b 日本 한국");
    EXPECT_EQ(foldForSearch("\0\x01\x1f\n"s), "   \n");
    EXPECT_EQ(foldForSearch("\xE6\xBC"), "\xE6\xBC") << "half a character";
    EXPECT_EQ(searchQuery("say \"hi").words, "\"say\" \"\"\"hi\"");
    EXPECT_EQ(searchQuery("say \"hi").beginning, "\"say\" \"\"\"hi\" *");
    EXPECT_EQ(searchQuery("\"say hi\" 天").words, "\"say hi\" \"天\"");
    EXPECT_EQ(searchQuery("\"say hi\" 天").beginning, "");
    EXPECT_EQ(searchQuery("天to").beginningLength, 2u);
    EXPECT_EQ(searchQuery("to ").beginning, "");
    EXPECT_EQ(searchQuery(" \n").words, "");
}

}  // namespace
}  // namespace ingle::history
