/// The text whose perplexity `ingle report` prints. It must never change: reports are compared with each
/// other.
#pragma once

#include <string_view>

namespace ingle::cli {

inline constexpr std::string_view kReportText =
    "The house stood at the end of the lane, where the hedges grew higher than a man and the road turned "
    "into a path. In "
    "winter the wind came over the fields and found every gap in the windows, so the family lived in one "
    "room, the kitchen, "
    "and in that room they lived close to the fire. On both sides of the hearth there was a bench built into "
    "the wall, wide "
    "enough for two, and this was the warmest place in the house. The grandmother sat there and mended what "
    "had been torn, "
    "and the children sat opposite and asked her things.\n\n"
    "They asked her why the kettle sings before it boils. She said that small bubbles form at the bottom, "
    "where the iron is "
    "hot, and rise into water that is still cold, and collapse there; each of them makes a tiny sound, and "
    "thousands of them "
    "make the song. When all of the water is hot the bubbles reach the top, and the song ends. They asked "
    "her how far away "
    "the moon is. She did not know the number, but she told them how one could find out: two people stand "
    "far apart and look "
    "at the moon at the same moment, and each notes which star is behind it. The stars will not be the same. "
    "From the "
    "distance between the two people and the difference between the two stars one can draw a long thin "
    "triangle, and the "
    "moon is at its tip.\n\n"
    "The youngest wanted to know whether everything that is written is true. No, said the grandmother, and "
    "that is why you "
    "should ask three questions of every page. Who wrote it, and how could that person know? What would be "
    "different in the "
    "world if it were false? And has anybody tried to prove that it is false, and failed? A page that "
    "survives these "
    "questions is worth remembering, and a page that does not is worth remembering too, as an example.\n\n"
    "Later in the evening the father read the accounts aloud. They had sold 14 sacks of barley at 6 crowns "
    "each, which made "
    "84 crowns, and bought salt, nails, and a new rope for 9 crowns in all. There were 75 crowns left, and "
    "they put 20 of "
    "them into the jar on the shelf, because the roof would not last another year. Then he closed the book, "
    "and somebody "
    "laid one more log on the fire, and for a while nobody said anything at all.\n";

}  // namespace ingle::cli
