// Judge is a program for conformance/judge.py --program: a question a line on stdin, an answer a line.
package main

import (
	"bufio"
	"fmt"
	"os"

	"onefold.invalid/languages/go/internal/judge"
)

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		fmt.Println(judge.Answer(line))
	}
}
