// What the model thought before it answered.
import QtQuick
import Inglenook

Folded {
    required property string label

    objectName: "thought"
    title: label
}
