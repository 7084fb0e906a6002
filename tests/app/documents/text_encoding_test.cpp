/// Texts of many languages in the encodings that their programs wrote: read, without a mark that names them.
#include "app/documents/text_encoding.h"

#include <gtest/gtest.h>
#include <iconv.h>

#include <random>

namespace ingle::documents {
namespace {

struct Sample {
    const char* encoding;
    std::string_view text;
};

// clang-format off
constexpr Sample kSamples[] = {
    {"WINDOWS-1252",
     "Le marché ouvre à huit heures ; les élèves ont déjà acheté du café, des œufs et un gâteau à "
     "la crème."},
    {"ISO-8859-15",
     "Où est passé l'élève ? Il a coûté 12 € à sa mère, qui préfère être prévenue dès l'été."},
    {"WINDOWS-1252",
     "Die Äpfel für Jürgen müssen größer sein als die Möhren, sonst heißt es wieder, wir hätten "
     "gespart."},
    {"IBM850",
     "Die Tür schließt um fünf; wer später kommt, muss über den Hof gehen und läuten. Schöne "
     "Grüße!"},
    {"WINDOWS-1252",
     "¿Dónde está el niño? Mañana habrá más canción y corazón, señor, según el año que viene."},
    {"WINDOWS-1252",
     "A reunião não foi adiada: as decisões sobre a produção já estão na mão da direcção, até "
     "amanhã."},
    {"WINDOWS-1252",
     "Perché no? La città è più bella di sera, e il caffè costa già di più: così è la verità."},
    {"MACINTOSH",
     "Le théâtre était fermé, mais la bibliothèque, déjà rénovée, a prêté trente-sept livres à "
     "l'école."},
    {"WINDOWS-1252",
     "Kära mamma, i går åkte vi båt över sjön och såg två älgar; på kvällen blåste det rätt "
     "häftigt."},
    {"WINDOWS-1252",
     "Á morgun fer ég til Þingvalla með föður mínum og við ætlum að skoða fossinn þegar veðrið "
     "batnar."},
    {"WINDOWS-1250",
     "Proszę przesłać wszystkie załączniki do środy, bo później księgowość będzie zamknięta. "
     "Dziękuję!"},
    {"ISO-8859-2",
     "Źródło błędu leży po stronie sieci; następną próbę podejmiemy w poniedziałek, jeżeli "
     "zdążymy."},
    {"WINDOWS-1250",
     "Příští týden přijede můj nejstarší bratr a bude chtít vidět všechna nová místa, která jsme "
     "našli."},
    {"IBM852",
     "Žluťoučký kůň se pásl u řeky, když ho večer našli dva chlapci a přivedli ho zpátky do stáje."},
    {"WINDOWS-1250",
     "A gyűlés csütörtökön lesz, kérjük, hogy mindenki időben érkezzen, mert az ülésről "
     "jegyzőkönyv készül."},
    {"WINDOWS-1250",
     "Această sesiune începe mâine dimineaţă, iar părinţii trebuie să semneze toate hârtiile până "
     "la prânz."},
    {"WINDOWS-1250",
     "Čovjek je došao kući, vidio da su svi već otišli, i počeo čekati, pišući žurno nešto u "
     "bilježnicu."},
    {"WINDOWS-1254",
     "Çocuklar bugün öğretmenleriyle birlikte müzeye gidecek; akşam yağmur yağarsa dönüşleri "
     "gecikebilir."},
    {"WINDOWS-1257",
     "Rytoj susirinkime aptarsime naują tvarką, todėl prašome visų ateiti laiku ir pasiimti "
     "užrašus iš ryto."},
    {"WINDOWS-1257",
     "Rīt no rīta mēs brauksim uz jūru, jo bērni jau sen gribēja redzēt, kā kuģi iebrauc ostā."},
    {"WINDOWS-1251",
     "Завтра утром мы поедем за город, а вечером бабушка испечёт пирог с яблоками и позовёт "
     "соседей."},
    {"KOI8-R",
     "Программа прочла файл и сообщила, что строка слишком длинная; остальное осталось без "
     "изменений."},
    {"IBM866",
     "Отчёт за третий квартал лежит в папке на сервере, его нужно подписать до конца недели."},
    {"ISO-8859-5",
     "Погода сегодня хорошая, поэтому занятия пройдут во дворе школы, если дети не забудут куртки."},
    {"WINDOWS-1251",
     "Сьогодні ввечері її брат приїде з Києва, і ми всі разом підемо дивитися нову виставу в "
     "театрі."},
    {"KOI8-U",
     "Щоб зберегти цей документ, потрібно вказати його ім'я та обрати теку, у якій він має лежати."},
    {"WINDOWS-1251",
     "Утре сутринта ще се съберем пред училището, за да тръгнем заедно към планината и езерото."},
    {"WINDOWS-1253",
     "Αύριο το πρωί θα πάμε στην αγορά για να πάρουμε ψωμί, τυρί και ελιές, και μετά θα φάμε όλοι "
     "μαζί."},
    {"ISO-8859-7",
     "Το πρόγραμμα διάβασε το αρχείο και έγραψε ότι η γραμμή είναι πολύ μεγάλη για να εμφανιστεί."},
    {"WINDOWS-1255",
     "מחר בבוקר ניסע לירושלים כדי לפגוש את סבא וסבתא, ואחר כך נאכל ארוחת צהריים במסעדה קטנה."},
    {"WINDOWS-1256",
     "غدا صباحا سنذهب إلى السوق لشراء الخبز والجبن والزيتون، ثم نأكل جميعا في البيت مع الجيران."},
    {"ISO-8859-6",
     "قرأ البرنامج الملف وكتب أن السطر طويل جدا، ولذلك لم يعرض منه سوى البداية على الشاشة."},
    {"CP874",
     "พรุ่งนี้เช้าเราจะไปตลาดเพื่อซื้อผลไม้และขนม แล้วกลับมากินข้าวกับครอบครัวที่บ้าน"},
    {"WINDOWS-1258",
     "Sáng mai chúng tôi sẽ đi chợ mua bánh mì và trái cây, rồi về nhà ăn cơm cùng gia đình."},
    {"GB18030",
     "明天早上我们要去市场买面包和水果，然后回家和家人一起吃午饭。请把会议的时间告诉大家。"},
    {"GB18030",
     "编号,姓名,部门,日期\n1,王小明,财务部,三月五日\n2,李娜,技术部,三月六日\n"},
    {"BIG5-HKSCS",
     "明天早上我們要去市場買麵包和水果，然後回家和家人一起吃午飯。請把會議的時間告訴大家。"},
    {"CP932",
     "明日の朝、私たちは市場へパンと果物を買いに行き、それから家に帰って家族と昼ご飯を食べます。"},
    {"EUC-JP",
     "このプログラムはファイルを読み込み、行が長すぎるときにはその旨を画面に表示して終了する。"},
    {"CP949",
     "내일 아침 우리는 시장에 가서 빵과 과일을 사고, 집으로 돌아와 가족과 함께 점심을 먹을 것입니"
     "다."},
    {"UTF-16LE",
     "Plain words of English, in two bytes each, and a line end.\nNothing marks them."},
    {"UTF-16BE",
     "明天早上我们要去市场买面包和水果，然后回家和家人一起吃午饭。"},
    {"UTF-16LE",
     "Завтра утром мы поедем за город, а вечером бабушка испечёт пирог."},
    {"UTF-32LE",
     "Die Äpfel für Jürgen."},
};
// clang-format on

std::string encoded(std::string_view text, const char* encoding) {
    const iconv_t conversion = ::iconv_open(encoding, "UTF-8");
    EXPECT_NE(conversion, reinterpret_cast<iconv_t>(-1)) << encoding;
    std::string bytes(4 * text.size() + 16, 0);
    char *from = const_cast<char*>(text.data()), *to = bytes.data();
    size_t numFrom = text.size(), numTo = bytes.size();
    EXPECT_EQ(::iconv(conversion, &from, &numFrom, &to, &numTo), 0U) << encoding << ": " << text;
    ::iconv(conversion, nullptr, nullptr, &to, &numTo);
    ::iconv_close(conversion);
    bytes.resize(bytes.size() - numTo);
    return bytes;
}

TEST(TextEncoding, isFoundByWhatTheTextSays) {
    for (const Sample& sample : kSamples) {
        const auto read = readText(encoded(sample.text, sample.encoding));
        ASSERT_TRUE(read) << sample.encoding << ": " << sample.text;
        EXPECT_EQ(read->text, sample.text) << sample.encoding << " was taken for " << read->guess;
        EXPECT_FALSE(read->guess.empty());
    }
}

TEST(TextEncoding, isFoundInTheCommentsOfAProgram) {
    const std::string code = "def total(rows):\n    return sum(row.amount for row in rows)\n\n";
    for (const auto& [encoding, comment] :
         {std::pair("GB18030", "# 计算配电网\n"), std::pair("CP932", "# 合計を計算する\n"),
          std::pair("CP949", "# 합계를 계산한다\n"), std::pair("WINDOWS-1251", "# сумма по строкам\n"),
          std::pair("WINDOWS-1252", "# Summe über alle Beträge\n"),
          std::pair("BIG5-HKSCS", "# 計算總金額\n")}) {
        std::string text;
        for (int i = 0; i < 20; ++i) text += code;
        text += comment + code;
        const auto read = readText(encoded(text, encoding));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->text, text) << encoding << " was taken for " << read->guess;
    }
}

TEST(TextEncoding, unicodeNeedsNoGuess) {
    const std::string text = "Größe, 大きさ, размер\n";
    for (const char* encoding : {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE", "UTF-8"}) {
        const auto marked = readText(encoded("\uFEFF" + text, encoding));
        ASSERT_TRUE(marked) << encoding;
        EXPECT_EQ(marked->text, text);
        EXPECT_TRUE(marked->guess.empty());
    }
    EXPECT_TRUE(readText(text)->guess.empty());
    // A byte that was lost makes it nothing else.
    std::string many;
    for (int i = 0; i < 10; ++i) many += text;
    const auto damaged = readText(many + "\xC3 end");
    ASSERT_TRUE(damaged);
    EXPECT_TRUE(damaged->guess.empty());
    EXPECT_EQ(damaged->text, many + "\uFFFD end");
}

TEST(TextEncoding, escapesChangeWhatAsciiMeans) {
    const std::string text = "本日は晴天なり\nplain\n";
    const auto read = readText(encoded(text, "ISO-2022-JP"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->text, text);
    EXPECT_TRUE(readText("\x1b[1mbold\x1b[0m as terminals have it")->guess.empty());
}

TEST(TextEncoding, whatIsNoTextStaysNone) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::string bytes;
        for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(random());
        EXPECT_FALSE(textEncoding(bytes));
        for (char& each : bytes)  // as compressed data without zeros and controls
            if (static_cast<unsigned char>(each) < 0x20) each = '~';
        EXPECT_FALSE(textEncoding(bytes)) << textEncoding(bytes)->name;
    }
    std::string samples;  // sound, in two bytes each
    for (int i = 0; i < 2000; ++i)
        samples += {static_cast<char>(random() % 256), static_cast<char>(random() % 6)};
    EXPECT_FALSE(textEncoding(samples));
}

TEST(TextEncoding, pagesNameIt) {
    for (const auto& [label, name] :
         {std::pair("gbk", "GB18030"), std::pair("shift_jis", "CP932"),
          std::pair("windows-1251", "WINDOWS-1251"), std::pair("koi8-r", "KOI8-R"),
          std::pair("iso-8859-1", "WINDOWS-1252"), std::pair("euc-kr", "CP949")}) {
        ASSERT_TRUE(namedEncoding(label)) << label;
        EXPECT_STREQ(namedEncoding(label)->name, name);
    }
    EXPECT_FALSE(namedEncoding(""));
    EXPECT_FALSE(namedEncoding("klingon"));
}

}  // namespace
}  // namespace ingle::documents
