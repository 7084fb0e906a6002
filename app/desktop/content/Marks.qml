// Marks over a text wherever a word stands that was searched for.
import QtQuick
import Inglenook

Item {
    id: marks

    required property FoundWords words
    required property BlockDocument document

    FoundMarks {
        id: found
        words: marks.words
        document: marks.document
    }
    Repeater {
        model: found.rectangles
        delegate: Rectangle {
            required property rect modelData

            objectName: "foundMark"
            x: modelData.x - 1
            y: modelData.y
            width: modelData.width + 2
            height: modelData.height
            radius: 3
            color: Theme.mark
        }
    }
}
