// Settings that belong together. Of each row "key", "kind" and "name", and by its kind "words", which explain it,
// "options", "from", "to", "decimals" and "mayBeEmpty".
import QtQuick

QtObject {
    required property string title
    required property var rows
}
