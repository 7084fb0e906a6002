// A file that belongs to the message.
import QtQuick
import Inglenook

Folded {
    required property string label

    title: label
    iconName: "file"
}
